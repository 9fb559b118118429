#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/rank_devices.hpp>
#include <ashlar/comm/stream_transport.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <cstdio>
#include <functional>
#include <halo/in_kernel.hpp>
#include <halo/measure.hpp>
#include <halo/messages.hpp>
#include <halo/ours.hpp>
#include <halo/peers/raw_mpi.hpp>
#include <halo/peers/raw_stream.hpp>
#include <limits>
#include <memory>
#include <optional>
#include <support/rank_timing.hpp>
#include <utility>
#include <vector>

namespace ashlar::perf {

namespace {

/// All slots of an exchange, and more than once.
constexpr int verified_rounds = 7;

ExchangeOptions options_of(const std::string& mode) {
  if (mode == "packets") {
    return {.mode = ExchangeMode::kernel, .packet_bytes = std::numeric_limits<std::int64_t>::max()};
  }
  for (const ExchangeMode known : {ExchangeMode::blocking, ExchangeMode::stream, ExchangeMode::kernel}) {
    if (mode == to_string(known)) return {.mode = known, .packet_bytes = 0};
  }
  return {};
}

std::string size_text(std::int64_t bytes) {
  if (bytes % (1 << 20) == 0) return text(bytes >> 20, " MiB");
  if (bytes % (1 << 10) == 0) return text(bytes >> 10, " KiB");
  return text(bytes, " B");
}

}  // namespace

/// One way to exchange.
struct HaloMeasurement::Candidate {
  std::string library, kernel;
  std::unique_ptr<OurExchange> ours;  // of the library
  std::function<std::int64_t(int)> num_wrong;
  RankWork exchange;
  std::int64_t wrong = 0;
  double seconds = 0;
};

HaloMeasurement::HaloMeasurement(const Exec& exec, const Communicator& comm, const HaloPerfOptions& options)
    : exec_(exec), comm_(comm), options_(options), work_(exec) {}

void HaloMeasurement::leave_out(const std::string& library, const std::string& kernel, const std::string& why) {
  missing_.insert(kernel);
  const std::vector<std::string> of_ranks = comm_.all_gather(why);
  if (comm_.rank() == 0) std::printf("%s %s cannot be had: %s\n", library.c_str(), kernel.c_str(), why.c_str());
  left_out_.push_back({{"library", library}, {"kernel", kernel}, {"failure", why}, {"failure_by_rank", of_ranks}});
}

nlohmann::json HaloMeasurement::hidden_shares(Candidate& candidate, double seconds) {
  nlohmann::json shares = nlohmann::json::array();
  OurExchange& ours = *candidate.ours;
  const auto wait = [this] { exec_.fence("perf::halo"); };
  for (const double multiple : options_.work) {
    work_.calibrate(exec_, comm_, multiple * seconds);
    const auto both = [&] {
      ours.begin();
      work_.run(exec_);
      ours.end();
    };
    const std::vector<double> times = alternating_medians(
        comm_, {candidate.exchange, {[&] { work_.run(exec_); }, wait}, {both, wait}}, {options_.samples, 0.01});
    const double share = (times[0] + times[1] - times[2]) / std::min(times[0], times[1]);
    shares.push_back({{"work", multiple},
                      {"exchange_us", 1e6 * times[0]},
                      {"work_us", 1e6 * times[1]},
                      {"both_us", 1e6 * times[2]},
                      {"hidden", share}});
  }
  return shares;
}

void HaloMeasurement::measure(int neighbours, std::int64_t bytes) {
  const RankMessages messages = ring_messages(comm_.rank(), comm_.size(), neighbours, bytes);
  const std::string name = text(size_text(bytes), neighbours == 1 ? " to 1 neighbour" : " to each of ",
                                neighbours == 1 ? "" : text(neighbours, " neighbours"));
  if (comm_.rank() == 0) std::printf("%s\n", name.c_str());

  std::vector<Candidate> candidates;
  const auto add = [&](const std::string& kernel, const auto& make) {
    if (missing_.count(kernel) > 0) return;
    try {
      std::unique_ptr<OurExchange> ours = make();
      OurExchange* const it = ours.get();
      candidates.push_back({"ashlar", kernel, std::move(ours), [it](int round) { return it->num_wrong(round); },
                            RankWork{[it] { it->run(); }, [this] { exec_.fence("perf::halo"); }}});
    } catch (const Error& error) {  // on all ranks together
      leave_out("ashlar", kernel, error.what());
    }
  };
  for (const std::string& mode : options_.modes) {
    if (mode == "packets" && bytes % 4 != 0) {
      if (comm_.rank() == 0) std::printf("  packets: left out, as each carries four bytes\n");
      continue;
    }
    add(mode, [&] { return std::make_unique<ExchangeOfBytes>(exec_, comm_, messages, options_of(mode)); });
    const bool is_by_kernels = mode == "kernel" || mode == "packets";
    if (!is_by_kernels || bytes % std::int64_t(sizeof(double)) != 0) continue;
    // What a solver does: entries are packed.
    using Form = ExchangeOfVector::Form;
    const auto add_of_vector = [&](const std::string& kernel, Form form) {
      add(kernel, [&] { return std::make_unique<ExchangeOfVector>(exec_, comm_, messages, options_of(mode), form); });
    };
    add_of_vector(mode + ", packed", Form::begin_and_end);
    add_of_vector(mode + ", packed, at once", Form::at_once);
    if (CapturedWork<Exec>::can_capture(exec_)) add_of_vector(mode + ", packed, at once, replayed", Form::replayed);
  }
  RawMpi mpi(messages);
  candidates.push_back({"mpi", "host memory", nullptr, [&](int round) { return mpi.num_wrong(round); },
                        RankWork{[&] { mpi.run(); }, [] {}}});
  std::optional<RawStream> stream;
  if (find_stream_messages(comm_, memory_kind_of<Space>).work) {
    stream.emplace(exec_, comm_, messages);
    candidates.push_back({comm_.stream_transport()->name(), "send and receive", nullptr,
                          [&](int round) { return stream->num_wrong(round); },
                          RankWork{[&] { stream->run(); }, [&] { stream->wait(); }}});
  }

  // What is wrong is not timed. (All ranks know of it.)
  std::vector<RankWork> right;
  for (Candidate& candidate : candidates) {
    for (int round = 0; round < verified_rounds; ++round) candidate.wrong += candidate.num_wrong(round);
    candidate.wrong = comm_.sum(candidate.wrong);
    if (candidate.wrong == 0) right.push_back(candidate.exchange);
  }
  const std::vector<double> medians = alternating_medians(comm_, right, {options_.samples, 0.01});
  std::size_t next = 0;
  const Candidate* fastest_raw = nullptr;
  for (Candidate& candidate : candidates) {
    if (candidate.wrong > 0) continue;
    candidate.seconds = medians[next++];
    if (candidate.ours) candidate.seconds /= candidate.ours->exchanges_of_run();
    if (!candidate.ours && (fastest_raw == nullptr || candidate.seconds < fastest_raw->seconds)) {
      fastest_raw = &candidate;
    }
  }

  for (Candidate& candidate : candidates) {
    nlohmann::json row{{"case", name},           {"library", candidate.library}, {"kernel", candidate.kernel},
                       {"block_size", 1},        {"ranks", comm_.size()},        {"neighbours", neighbours},
                       {"message_bytes", bytes}, {"bytes", messages.bytes()},    {"verified", candidate.wrong == 0}};
    if (candidate.ours) {
      row["mode"] = to_string(candidate.ours->mode());
      row["why"] = comm_.broadcast(candidate.ours->why_mode());
      row["explain"] = comm_.broadcast(candidate.ours->explain());
    }
    if (candidate.wrong > 0) {
      all_right_ = false;
      row["error"] = text(candidate.wrong, " bytes are wrong");
      if (comm_.rank() == 0) std::printf("  %-40s WRONG\n", candidate.kernel.c_str());
      results_.push_back(row);
      continue;
    }
    const auto rate = [&](double seconds) { return 1e-9 * static_cast<double>(messages.bytes()) / seconds; };
    row["seconds"] = candidate.seconds;
    row["us"] = 1e6 * candidate.seconds;
    row["gb_s"] = rate(candidate.seconds);
    if (fastest_raw != nullptr) {
      row["limit"] = text("raw ", fastest_raw->library);
      row["limit_gb_s"] = rate(fastest_raw->seconds);
      row["fraction"] = fastest_raw->seconds / candidate.seconds;
    }
    // (What is done at once hides nothing.)
    const bool begins_and_ends = candidate.kernel != "auto" && candidate.kernel.find("at once") == std::string::npos;
    if (candidate.ours && begins_and_ends) row["hidden"] = hidden_shares(candidate, candidate.seconds);
    if (comm_.rank() == 0) {
      std::printf("  %-8s %-34s %11.2f us %8.3f GB/s", candidate.library.c_str(), candidate.kernel.c_str(),
                  1e6 * candidate.seconds, rate(candidate.seconds));
      if (row.contains("hidden")) {
        std::printf("   hidden under work of");
        for (const auto& share : row["hidden"]) {
          std::printf(" %g: %.2f", share["work"].get<double>(), share["hidden"].get<double>());
        }
      } else if (candidate.ours) {
        std::printf("   %s", row["mode"].get<std::string>().c_str());
      }
      std::printf("\n");
      std::fflush(stdout);
    }
    results_.push_back(std::move(row));
  }
}

void HaloMeasurement::measure_in_kernel() {
  const auto add = [&](const RoundsInKernel& rounds, const std::string& kernel, double seconds, std::int64_t bytes) {
    results_.push_back({{"case", text("in one kernel of each of ", comm_.size(), " ranks")},
                        {"library", "ashlar"},
                        {"kernel", kernel},
                        {"block_size", 1},
                        {"ranks", comm_.size()},
                        {"thread_blocks", rounds.thread_blocks()},
                        {"threads", RoundsInKernel::threads},
                        {"message_bytes", bytes},
                        {"verified", true},
                        {"seconds", seconds},
                        {"us", 1e6 * seconds}});
    if (comm_.rank() == 0) std::printf("  %-50s %8.2f us\n", kernel.c_str(), 1e6 * seconds);
  };
  for (const std::int64_t bytes : options_.bytes) {
    if (bytes % std::int64_t(sizeof(double)) != 0) continue;
    std::unique_ptr<RoundsInKernel> rounds;
    try {
      rounds = std::make_unique<RoundsInKernel>(exec_, comm_, bytes / std::int64_t(sizeof(double)));
    } catch (const Error& error) {  // on all ranks together
      leave_out("ashlar", "in one kernel of each rank", error.what());
      return;
    }
    // What is wrong is not timed. (All ranks know of it.)
    using Round = RoundsInKernel::Round;
    for (const Round round : {Round::four_sums, Round::barrier, Round::halo}) {
      if (rounds->are_right(round)) continue;
      all_right_ = false;
      results_.push_back({{"kernel", "in one kernel of each rank"}, {"verified", false}, {"error", "sums are wrong"}});
      if (comm_.rank() == 0) std::printf("  in one kernel of each rank: WRONG\n");
      return;
    }
    const double of_sums = rounds->seconds_of_round(Round::four_sums, options_.samples),
                 without = rounds->seconds_of_round(Round::barrier, options_.samples),
                 with = rounds->seconds_of_round(Round::halo, options_.samples);
    add(*rounds, "sum of 4 doubles", of_sums, 0);
    add(*rounds, "barrier, sum", without, 0);
    add(*rounds, text("barrier, halo of ", size_text(bytes), ", sum"), with, bytes);
    add(*rounds, text("halo of ", size_text(bytes), " by itself"), with - without, bytes);
  }
}

}  // namespace ashlar::perf
