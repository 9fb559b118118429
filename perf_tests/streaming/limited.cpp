#include <algorithm>
#include <ashlar/base/memory.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/streaming/planner.hpp>
#include <ashlar/streaming/tune.hpp>
#include <cstdio>
#include <limits>
#include <optional>
#include <set>
#include <streaming/limited.hpp>
#include <support/memory_watch.hpp>
#include <support/plain_product.hpp>
#include <vector>

namespace ashlar::perf {

namespace {

using Block = Kokkos::View<double**, Kokkos::LayoutRight, Space>;

class Limited {
 public:
  Limited(const Exec& exec, const StreamingCase& matrix, double fraction, int num_vectors,
          const StreamingPerfOptions& options, nlohmann::json& results)
      : exec_(exec), case_(matrix), options_(options), results_(results) {
    streaming_.device_memory_limit = static_cast<std::uint64_t>(fraction * matrix.value_bytes());
    streaming_.num_buffers = options.buffers;
    streaming_.product.num_vectors = num_vectors;
    const auto x = test_vector<double>(exec, matrix.host.num_cols());
    expected_ = plain_product(exec, copy_to<Space>(exec, matrix.host), x, Mode::no_transpose);
    link_gb_s_ = plain_copy_gb_s(Kokkos::Experimental::partition_space(exec, 1)[0], matrix.host);
    std::printf("%s: %.2f GB, limit %.2f GB, %d vectors, plain copy %.2f GB/s\n", matrix.name.c_str(),
                matrix.value_bytes() * 1e-9, double(streaming_.device_memory_limit) * 1e-9, num_vectors, link_gb_s_);
  }

  bool run() {
    const int num_vectors = streaming_.product.num_vectors;
    {
      const MemoryWatch watch;
      const Block x("perf::x", case_.host.num_cols(), num_vectors), y("perf::y", case_.host.num_rows(), num_vectors);
      fill(x);
      const StreamingPlan plan = planned(x, y);
      std::printf("  %s\n", plan.explain().c_str());
      measure("planned", plan.options, plan.seconds, x, y);
      if (!Streamed::has_one_memory) measure_others(plan, x, y);
      peak_ = watch.peak();
    }
    const bool kept = peak_ <= streaming_.device_memory_limit;
    std::printf("  at most %.3f GB of device memory at a time: %s\n", double(peak_) * 1e-9,
                kept ? "within the limit" : "BEYOND THE LIMIT");
    for (auto row = results_.begin() + first_result_; row != results_.end(); ++row) (*row)["peak_bytes"] = peak_;
    return all_right_ && kept;
  }

 private:
  StreamingPlan planned(const Block& x, const Block& y) const {
    StreamingFigures figures;
    {
      const Streamed trial(exec_, case_.host, streaming_);
      figures = trial.measure(exec_, x, y);
    }
    return plan_streaming<Streamed>(case_.host, figures, streaming_);
  }

  void measure_others(const StreamingPlan& plan, const Block& x, const Block& y) {
    const StreamingPlan without = plan_streaming<Streamed>(case_.host, plan.figures, streaming_, 0);
    measure("no share of the host", without.options, without.seconds, x, y);
    const StreamingPlan tuned = tune_streaming<Streamed>(exec_, case_.host, plan, x, y);
    measure("tuned", tuned.options, tuned.seconds, x, y);
    sweep(plan, x, y);
  }

  void sweep(const StreamingPlan& plan, const Block& x, const Block& y) {
    std::set<std::pair<double, int>> tried;
    const auto try_one = [&](double share, int number) {
      if (share < 0 || share > 1 || number < 1 || !tried.emplace(share, number).second) return;
      StreamingOptions options = plan.options;
      options.host_share = share;
      options.num_subdivisions = number;
      measure("sweep", options, 0, x, y);
    };
    const int number = plan.options.num_subdivisions;
    const double share = plan.options.host_share;
    for (const double other : {0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0}) try_one(other, number);
    for (const double factor : {0.8, 0.9, 0.95, 1.0, 1.05, 1.1, 1.2}) try_one(factor * share, number);
    for (const double factor : {0.25, 0.5, 0.75, 1.5, 2.0, 4.0}) try_one(share, static_cast<int>(factor * number));
  }

  void fill(const Block& x) {
    const auto numbers = test_vector<double>(exec_, case_.host.num_cols());
    for (std::size_t c = 0; c < x.extent(1); ++c) {
      Kokkos::deep_copy(exec_, Kokkos::subview(x, Kokkos::ALL, c), numbers);
    }
  }

  void measure(const char* kernel, const StreamingOptions& options, double predicted, const Block& x, const Block& y) {
    std::optional<Streamed> streamed;
    try {
      streamed.emplace(exec_, case_.host, options);
    } catch (const MemoryError&) {
      return;  // buffers too large for the limit
    }
    Kokkos::deep_copy(exec_, y, std::numeric_limits<double>::quiet_NaN());
    streamed->apply(exec_, x, y);
    Kokkos::deep_copy(exec_, last_, Kokkos::subview(y, Kokkos::ALL, y.extent(1) - 1));
    const bool right = error_of(exec_, last_, expected_) == 0;
    all_right_ = all_right_ && right;
    constexpr int in_turn = 3;  // as a solver would
    const double seconds = median_seconds(options_.samples,
                                          [&] {
                                            for (int i = 0; i < in_turn; ++i) streamed->apply(exec_, x, y);
                                            exec_.fence("perf: products");
                                          }) /
                           in_turn;
    const double bytes = case_.value_bytes();
    const StreamingEstimate& estimate = streamed->estimate();
    nlohmann::json row{{"case", case_.name},
                       {"library", "ashlar"},
                       {"kernel", kernel},
                       {"type", "double"},
                       {"block_size", case_.host.block_size()},
                       {"num_vectors", x.extent(1)},
                       {"limit_bytes", streaming_.device_memory_limit},
                       {"host_share", options.host_share},
                       {"num_subdivisions", estimate.num_subdivisions},
                       {"resident_bytes", estimate.resident_bytes},
                       {"sent_bytes", estimate.sent_bytes},
                       {"host_bytes", estimate.host_bytes},
                       {"seconds", seconds},
                       {"bytes", bytes},
                       {"gb_s", bytes / seconds * 1e-9},
                       {"limit_gb_s", link_gb_s_},
                       {"fraction", double(estimate.sent_bytes) / seconds * 1e-9 / link_gb_s_},
                       {"verified", right},
                       {"plan", streamed->explain()}};
    if (predicted > 0) row["predicted_seconds"] = predicted;
    if (!right) row.erase("seconds");
    results_.push_back(std::move(row));
    std::printf("  %-20s host share %.3f, %3d subdivisions: %8.2f ms%s (sent %.2f GB, host %.2f GB)%s\n", kernel,
                options.host_share, estimate.num_subdivisions, seconds * 1e3,
                predicted > 0 ? text(", foreseen ", predicted * 1e3, " ms").c_str() : "",
                double(estimate.sent_bytes) * 1e-9, double(estimate.host_bytes) * 1e-9, right ? "" : " WRONG RESULT");
    std::fflush(stdout);
  }

  Exec exec_;
  const StreamingCase& case_;
  const StreamingPerfOptions& options_;
  nlohmann::json& results_;
  std::ptrdiff_t first_result_ = static_cast<std::ptrdiff_t>(results_.size());
  StreamingOptions streaming_;
  Expected<double> expected_;
  Vector<double> last_{"perf::last", std::size_t(case_.host.num_rows())};  // column of y
  double link_gb_s_ = 0;
  std::uint64_t peak_ = 0;
  bool all_right_ = true;
};

}  // namespace

bool run_limited(const Exec& exec, const StreamingCase& matrix, double fraction, int num_vectors,
                 const StreamingPerfOptions& options, nlohmann::json& results) {
  return Limited(exec, matrix, fraction, num_vectors, options, results).run();
}

}  // namespace ashlar::perf
