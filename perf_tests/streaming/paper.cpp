#include <Kokkos_Timer.hpp>
#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/blas1/blas1.hpp>
#include <ashlar/device/probes/device_properties.hpp>
#include <ashlar/reference/spmv.hpp>
#include <ashlar/streaming/timeline.hpp>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <streaming/paper.hpp>
#include <tuple>
#include <utility>
#include <vector>

namespace ashlar::perf {

namespace {

/// Vectors that products take in turns, so that no two products that follow each other are of the same one.
constexpr int num_columns = 10;

/// A span of streaming as one of a trace, on a track of its pass.
trace::Span traced(const StreamSpan& span, const std::string& pass) {
  const auto nanoseconds = [](double seconds) { return std::int64_t(std::llround(seconds * 1e9)); };
  return {span.name,
          pass + span.track,
          span.track == "copies" ? trace::SpanKind::copy : trace::SpanKind::parallel_for,
          nanoseconds(span.begin_seconds),
          nanoseconds(span.end_seconds),
          span.bytes};
}

}  // namespace

PaperExperiment::PaperExperiment(const Exec& exec, const std::string& name, const StreamingPerfOptions& options,
                                 double read_gb_s, nlohmann::json& results)
    : exec_(exec),
      copy_exec_(Kokkos::Experimental::partition_space(exec, 1)[0]),
      other_exec_(Kokkos::Experimental::partition_space(exec, 1)[0]),
      options_(options),
      read_gb_s_(read_gb_s),
      results_(results),
      case_(make_case(exec, name)),
      host_(case_.host),
      dof_(host_.block_size()) {
  x_ = Columns("perf::x", host_.num_cols(), num_columns);
  y_ = Columns("perf::y", host_.num_rows(), num_columns);
  const auto numbers = test_vector<double>(exec, host_.num_cols() + num_columns);
  for (std::int64_t c = 0; c < num_columns; ++c) {
    Kokkos::deep_copy(exec, Kokkos::subview(x_, Kokkos::ALL, c),
                      Kokkos::subview(numbers, std::make_pair(c, c + host_.num_cols())));
  }
  expected_ = plain_product(exec, copy_to<Space>(exec, host_), Kokkos::subview(x_, Kokkos::ALL, 0), Mode::no_transpose);
  exec.fence("perf: what is to come out");
  link_gb_s_ = plain_copy_gb_s(copy_exec_, host_);
  std::printf("%s: %.2f GB, plain copy %.2f GB/s\n", case_.name.c_str(), case_.value_bytes() * 1e-9, link_gb_s_);
}

void PaperExperiment::run() {
  for (const int num_products : options_.products) {
    for (const int num_subdivisions : options_.subdivisions) run_one(num_subdivisions, num_products);
  }
  if (options_.serial) run_serial();
}

Parts PaperExperiment::measure_parts(int num_subdivisions, int num_products) const {
  Parts parts;
  {
    Streamed all(exec_, copy_exec_, host_,
                 {.num_subdivisions = num_subdivisions,
                  .taper = options_.taper,
                  .num_buffers = num_subdivisions,  // each stays in one of its own
                  .structure = StructurePlacement::resident,
                  .num_resident = 0});
    parts.seconds_compute = seconds(all, num_products, false);
  }
  const auto subdivisions = subdivide(host_.graph().row_ptr(), host_.block_shape(), num_subdivisions, options_.taper);
  const std::int64_t bb = host_.block_shape().num_values();
  std::int64_t most = 0;
  for (const Subdivision& part : subdivisions) most = std::max(most, part.num_sent() * bb);
  const Vector<double> target(Kokkos::view_alloc(Kokkos::WithoutInitializing, "perf::target"), most);
  parts.seconds_copy = median_seconds(options_.samples, [&] {
    for (const Subdivision& part : subdivisions) {
      const std::int64_t begin = part.first_sent() * bb, count = part.num_sent() * bb;
      Kokkos::deep_copy(copy_exec_, Kokkos::subview(target, std::make_pair(std::int64_t(0), count)),
                        Kokkos::subview(host_.values(), std::make_pair(begin, begin + count)));
    }
    copy_exec_.fence("perf: copies");
  });
  return parts;
}

double PaperExperiment::seconds(Streamed& streamed, int num_products, bool send_all) const {
  return median_seconds(options_.samples, [&] {
    if (send_all) streamed.values_changed(exec_);
    multiply(streamed, num_products);
    exec_.fence("perf: products");
  });
}

bool PaperExperiment::is_right(const Streamed& streamed, int num_products) const {
  Kokkos::deep_copy(exec_, y_, std::numeric_limits<double>::quiet_NaN());
  multiply(streamed, num_products);
  // The first column has the sum of every num_columns-th product, all with the first column of x.
  const Vector<double> y("perf::y0", y_.extent(0));
  const double times = (num_products + num_columns - 1) / num_columns;
  axpby(exec_, 1 / times, Kokkos::subview(y_, Kokkos::ALL, 0), 0, y);
  return error_of(exec_, y, Expected<double>{expected_.y, expected_.magnitude, times * expected_.summands}) == 0;
}

nlohmann::json PaperExperiment::row(const std::string& kernel, int num_subdivisions, int num_products,
                                    double seconds) const {
  // FLOP / FLIO: two operations for each value, which is read with its block's share of x (Fagerlund et al. 2014).
  const double flop = 2.0 * dof_ * dof_, flio = 8.0 * dof_ * dof_ + 8.0 * dof_;
  const double bytes = 8.0 * double(host_.num_values());
  return {{"case", case_.name},
          {"library", "ashlar"},
          {"kernel", kernel},
          {"type", "double"},
          {"block_size", dof_},
          {"num_subdivisions", num_subdivisions},
          {"num_products", num_products},
          {"seconds", seconds},
          {"bytes", bytes},
          {"gb_s", bytes / seconds * 1e-9},
          {"limit_gb_s", link_gb_s_},
          {"fraction", bytes / seconds * 1e-9 / link_gb_s_},
          {"gflop_s", flops(num_products) / seconds * 1e-9},
          {"bound_gflop_s", flop / flio * read_gb_s_}};
}

StreamingOptions PaperExperiment::streaming_options(int num_subdivisions, bool hide) const {
  return {.num_subdivisions = num_subdivisions,
          .taper = options_.taper,
          .num_buffers = options_.buffers,
          .structure = StructurePlacement::resident,
          .num_resident = 0,
          .hide = hide,
          .send_ahead = false};
}

trace::Process PaperExperiment::timeline() {
  const int num_subdivisions = options_.subdivisions.front(), num_products = options_.products.front();
  trace::Process result;
  result.name = text(case_.name, ", ", num_subdivisions, " subdivisions, ", num_products, " products with each; ",
                     device_name(exec_));
  for (const bool hide : {false, true}) {
    Streamed streamed(exec_, copy_exec_, host_, streaming_options(num_subdivisions, hide));
    all_right_ = is_right(streamed, num_products) && all_right_;
    exec_.fence("perf: a pass before");
    const std::string pass = hide ? "hidden: " : "not hidden: ";
    // A copy and the products of each subdivision.
    StreamTimeline timeline(exec_, 2 * streamed.num_subdivisions());
    streamed.values_changed(exec_);
    auto recording = streamed.record(timeline);
    multiply(streamed, num_products);
    recording.stop();
    for (const StreamSpan& span : timeline.spans()) result.spans.push_back(traced(span, pass));
    for (const char* track : {"copies", "products"}) result.tracks.push_back(pass + track);
    all_right_ = is_right(streamed, num_products) && all_right_;
  }
  return result;
}

void PaperExperiment::run_one(int num_subdivisions, int num_products) {
  const Parts parts = measure_parts(num_subdivisions, num_products);
  double seconds_of[2] = {};
  bool right = true;
  std::string plan;
  for (const bool hide : {false, true}) {
    Streamed streamed(exec_, copy_exec_, host_, streaming_options(num_subdivisions, hide));
    right = right && is_right(streamed, num_products);
    seconds_of[hide] = right ? seconds(streamed, num_products, true) : 0;
    right = right && is_right(streamed, num_products);  // after many passes, too
    if (hide) plan = streamed.explain();
  }
  all_right_ = all_right_ && right;
  if (!right) {
    std::printf("%3d subdivisions, %3d products: WRONG RESULT\n", num_subdivisions, num_products);
    nlohmann::json wrong = row("streamed", num_subdivisions, num_products, 1);
    wrong["verified"] = false;
    wrong.erase("seconds");
    results_.push_back(std::move(wrong));
    return;
  }
  const double gain = seconds_of[false] / seconds_of[true] - 1;
  const double hidden = (seconds_of[false] - seconds_of[true]) / std::min(parts.seconds_copy, parts.seconds_compute);
  for (const bool hide : {false, true}) {
    nlohmann::json result =
        row(hide ? "streamed" : "streamed, not hidden", num_subdivisions, num_products, seconds_of[hide]);
    result.update({{"hide", hide},
                   {"taper", to_string(options_.taper)},
                   {"verified", true},
                   {"seconds_copy", parts.seconds_copy},
                   {"seconds_compute", parts.seconds_compute},
                   {"gain", gain},
                   {"hidden_share", hidden}});
    if (hide) result["plan"] = plan;
    results_.push_back(std::move(result));
  }
  std::printf(
      "%3d subdivisions, %3d products: off %8.2f ms, on %8.2f ms (copies %8.2f, products %8.2f); gain %5.1f %%, "
      "hidden %.3f, %.1f GFLOP/s, link %.3f\n",
      num_subdivisions, num_products, seconds_of[false] * 1e3, seconds_of[true] * 1e3, parts.seconds_copy * 1e3,
      parts.seconds_compute * 1e3, 100 * gain, hidden, flops(num_products) / seconds_of[true] * 1e-9,
      8e-9 * double(host_.num_values()) / seconds_of[true] / link_gb_s_);
  std::fflush(stdout);
}

void PaperExperiment::run_serial() {
  const std::vector<double> x(host_.num_cols(), 1.0);
  std::vector<double> y(host_.num_rows());
  Kokkos::Timer timer;
  reference::spmv(1.0, host_, x, 0.0, y);
  nlohmann::json result = row("one host thread, plain loops", 1, 1, timer.seconds());
  result["verified"] = true;  // they are what the others are checked by
  std::printf("one host thread, plain loops: %.2f GFLOP/s\n", result["gflop_s"].get<double>());
  results_.push_back(std::move(result));
}

}  // namespace ashlar::perf
