#include "solve/one_rank_run.hpp"

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/host/text_file.hpp>
#include <nlohmann/json.hpp>

#include "solve/options_json.hpp"

namespace ashlar::app {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* how_to_make_it = "solve the same on one rank with --report, and name that file";

[[noreturn]] void refuse(const std::string& path, const std::string& problem, const std::string& why) {
  throw FileError(path, 0, problem, why, how_to_make_it);
}

/// What both solves were asked for is the same, where an iteration depends on it.
void require_same_options(const std::string& path, const Json& there, const Json& here) {
  for (const char* name : {"problem", "nodes", "dof", "matrix", "rhs", "solver", "variant", "num_rhs", "restart",
                           "null_space", "preconditioner", "preconditioner_precision", "kernel"}) {
    // The size of a mesh is left out where there is none.
    const Json theirs = there.value(name, Json(nullptr)), ours = here.value(name, Json(nullptr));
    if (theirs == ours) continue;
    refuse(path, text("the report of a solve with ", name, " ", theirs.dump(), ", not ", ours.dump()),
           "efficiency compares the same work on one rank and on several");
  }
}

}  // namespace

OneRankRun read_one_rank_run(const std::string& path, const SolveOptions& options) {
  constexpr std::size_t most_bytes = std::size_t(1) << 28;
  // A report is a few levels deep. What is far deeper would be compared, and shown, by as many calls within each other.
  constexpr int deepest = 100;
  const auto require_shallow = [&](int depth, Json::parse_event_t, const Json&) {
    if (depth > deepest) refuse(path, "it is no report of ashlar solve", "it has lists within lists");
    return true;
  };
  const Json report = Json::parse(read_text_file(path, most_bytes), require_shallow, false);
  const char* const why_one = "efficiency is counted from one rank that has the whole matrix in memory";
  OneRankRun run;
  run.path = path;
  try {
    if (!report.at("ranks").is_null())
      refuse(path, text("the report of ", report.at("ranks").size(), " ranks"), why_one);
    if (report.at("streamed").get<bool>()) refuse(path, "the report of a solve with a streamed matrix", why_one);
    require_same_options(path, report.at("options"), options_json(options));
    const auto iterations = report.at("iterations").get<std::int64_t>();
    if (iterations < 1) refuse(path, "the report of a solve without iterations", "their time is compared");
    run.seconds_of_iteration = report.at("seconds").at("solve").get<double>() / double(iterations);
    run.num_rows = report.at("num_rows").get<std::int64_t>();
    run.num_blocks = report.at("num_blocks").get<std::int64_t>();
    run.block_size = report.at("block_size").get<int>();
    const Json& device = report.at("device");
    run.device = {device.at("backend").get<std::string>(), device.at("name").get<std::string>(),
                  device.at("concurrency").get<int>()};
  } catch (const Json::exception&) {
    refuse(path, "it is no report of ashlar solve", "its fields are not there");
  }
  if (!(run.seconds_of_iteration > 0)) refuse(path, "the report of a solve that took no time", "times are compared");
  return run;
}

void require_alike(const OneRankRun& run, const SystemAccount& system, const Device& device) {
  const auto shape = [](std::int64_t rows, std::int64_t blocks, int block_size) {
    return text(count_text(rows, "row"), " and ", count_text(blocks, "block"), " of size ", block_size);
  };
  const std::string theirs = shape(run.num_rows, run.num_blocks, run.block_size),
                    ours = shape(system.num_rows(), system.num_blocks, system.block_size);
  if (theirs != ours) {
    refuse(run.path, text("the report of a matrix of ", theirs), text(system.description, " has ", ours));
  }
  if (device_text(run.device) != device_text(device)) {
    refuse(run.path, text("the report of a solve on ", device_text(run.device)),
           text("a rank has ", device_text(device), ", and efficiency counts from one like it"));
  }
}

}  // namespace ashlar::app
