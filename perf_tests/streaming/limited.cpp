#include <algorithm>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/bcsr/symmetric_half.hpp>
#include <ashlar/device/memory/available_memory.hpp>
#include <ashlar/streaming/planner.hpp>
#include <ashlar/streaming/streamed_symmetric_matrix.hpp>
#include <ashlar/streaming/tune.hpp>
#include <cstdio>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <streaming/limited.hpp>
#include <streaming/plain_rates.hpp>
#include <string>
#include <support/median.hpp>
#include <support/memory_watch.hpp>
#include <support/plain_product.hpp>
#include <vector>

namespace ashlar::perf {

namespace {

using Block = Kokkos::View<double**, Kokkos::LayoutRight, Space>;
using StreamedHalf = StreamedSymmetricMatrix<Matrix>;

enum class Division { given, planned, planned_without_host, planned_half };

/// A way to divide the work, and how long its products took in each turn.
struct Candidate {
  const char* kernel;
  Division division;
  StreamingOptions options = {};
  std::vector<double> predicted = {}, seconds = {}, host_shares = {};
  StreamingEstimate estimate = {};  // of the latest turn
  std::string plan = {};
  bool is_right = true;
};

/// The host's part of a product, on a machine that is shared, takes longer at one time than at another: so candidates
/// are measured in turns. Each is made anew for its turn, as there is no room for two within the limit.
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
    rates_ = measure_plain_rates(Kokkos::Experimental::partition_space(exec, 1)[0], matrix.host);
    std::printf(
        "%s: %.2f GB, limit %.2f GB, %d vectors; plain copies %.2f GB/s, plain reading by the host %.2f, side "
        "by side %.2f and %.2f\n",
        matrix.name.c_str(), matrix.value_bytes() * 1e-9, double(streaming_.device_memory_limit) * 1e-9, num_vectors,
        rates_.link, rates_.host, rates_.link_beside, rates_.host_beside);
    if (!Streamed::has_one_memory) {
      const Kokkos::DefaultHostExecutionSpace host;
      half_ = symmetric_half(host, matrix.host);
      host.fence("perf: half of the matrix");
    }
  }

  bool run() {
    const int num_vectors = streaming_.product.num_vectors;
    {
      const MemoryWatch watch;
      const Block x("perf::x", case_.host.num_cols(), num_vectors), y("perf::y", case_.host.num_rows(), num_vectors);
      fill(x);
      const StreamingPlan plan = planned<Streamed>(case_.host, x, y);
      std::printf("  %s\n", plan.explain().c_str());
      candidates_.push_back({"planned", Division::planned});
      if (!Streamed::has_one_memory) add_others(plan, x, y);
      for (int turn = 0; turn < options_.samples; ++turn) {
        for (const std::size_t which : order(turn)) take_turn(candidates_[which], x, y);
      }
      peak_ = watch.peak();
    }
    for (const Candidate& candidate : candidates_) report(candidate, num_vectors);
    const bool kept = peak_ <= streaming_.device_memory_limit;
    std::printf("  at most %.3f GB of device memory at a time: %s\n", double(peak_) * 1e-9,
                kept ? "within the limit" : "BEYOND THE LIMIT");
    for (auto row = results_.begin() + first_result_; row != results_.end(); ++row) (*row)["peak_bytes"] = peak_;
    return all_right_ && kept;
  }

 private:
  template <class Operator>
  StreamingPlan planned(const HostMatrix& matrix, const Block& x, const Block& y, double most_host_share = 1) const {
    return plan_streaming<Operator>(exec_, matrix, x, y, streaming_, most_host_share);
  }

  void add_others(const StreamingPlan& plan, const Block& x, const Block& y) {
    candidates_.push_back({"no share of the host", Division::planned_without_host});
    candidates_.push_back({"half of it: A = T + T^T", Division::planned_half});
    candidates_.push_back({"tuned", Division::given, tune_streaming<Streamed>(exec_, case_.host, plan, x, y).options});
    std::set<std::pair<double, int>> tried;
    const auto add = [&](double share, int number) {
      if (share < 0 || share > 1 || number < 1 || !tried.emplace(share, number).second) return;
      StreamingOptions options = plan.options;
      options.host_share = share;
      options.num_subdivisions = number;
      candidates_.push_back({"sweep", Division::given, options});
    };
    const int number = plan.options.num_subdivisions;
    const double share = plan.options.host_share;
    for (const double other : {0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0}) add(other, number);
    for (const double factor : {0.8, 0.9, 0.95, 1.0, 1.05, 1.1, 1.2}) add(factor * share, number);
    for (const double factor : {0.25, 0.5, 0.75, 1.5, 2.0, 4.0}) add(share, static_cast<int>(factor * number));
  }

  /// Of the candidates in a turn: another each time, as what comes before makes a difference.
  std::vector<std::size_t> order(int turn) const {
    std::vector<std::size_t> result(candidates_.size());
    std::iota(result.begin(), result.end(), 0);
    std::shuffle(result.begin(), result.end(), std::mt19937(static_cast<unsigned>(turn)));
    return result;
  }

  void fill(const Block& x) {
    const auto numbers = test_vector<double>(exec_, case_.host.num_cols());
    for (std::size_t c = 0; c < x.extent(1); ++c) {
      Kokkos::deep_copy(exec_, Kokkos::subview(x, Kokkos::ALL, c), numbers);
    }
  }

  /// Plans as one would before a solve, and then multiplies. The host is shared: one plan would be of one moment.
  void take_turn(Candidate& candidate, const Block& x, const Block& y) {
    const auto decide = [&](const StreamingPlan& plan) {
      candidate.options = plan.options;
      candidate.predicted.push_back(plan.seconds);
    };
    switch (candidate.division) {
      case Division::given:
        break;
      case Division::planned:
        decide(planned<Streamed>(case_.host, x, y));
        break;
      case Division::planned_without_host:
        decide(planned<Streamed>(case_.host, x, y, 0));
        break;
      case Division::planned_half:
        decide(planned<StreamedHalf>(half_, x, y));
        measure<StreamedHalf>(candidate, half_, x, y);
        return;
    }
    measure<Streamed>(candidate, case_.host, x, y);
  }

  /// One turn of a candidate whose buffers there is room for.
  template <class Operator>
  void measure(Candidate& candidate, const HostMatrix& matrix, const Block& x, const Block& y) {
    std::optional<Operator> streamed;
    try {
      streamed.emplace(exec_, matrix, candidate.options);
    } catch (const MemoryError&) {
      return;
    }
    candidate.estimate = streamed->estimate();
    candidate.plan = streamed->explain();
    candidate.host_shares.push_back(candidate.options.host_share);
    Kokkos::deep_copy(exec_, y, std::numeric_limits<double>::quiet_NaN());
    streamed->apply(exec_, x, y);
    Kokkos::deep_copy(exec_, last_, Kokkos::subview(y, Kokkos::ALL, y.extent(1) - 1));
    Expected<double> within = expected_;
    // Half of it: twice the rounding, of which the root is taken.
    if (candidate.division == Division::planned_half) within.summands *= 4;
    candidate.is_right = candidate.is_right && error_of(exec_, last_, within) == 0;
    constexpr int in_turn = 12;  // as a solver would
    candidate.seconds.push_back(median_seconds(1,
                                               [&] {
                                                 for (int i = 0; i < in_turn; ++i) streamed->apply(exec_, x, y);
                                                 exec_.fence("perf: products");
                                               }) /
                                in_turn);
  }

  void report(const Candidate& candidate, int num_vectors) {
    if (candidate.seconds.empty()) return;
    all_right_ = all_right_ && candidate.is_right;
    const double seconds = median(candidate.seconds);
    const double bytes = case_.value_bytes();
    const StreamingEstimate& estimate = candidate.estimate;
    // Were what does not stay on the device only read, and copied.
    const double floor = double(estimate.sent_bytes) * 1e-9 / rates_.link;
    const double floor_with_host = double(estimate.sent_bytes + estimate.host_bytes) * 1e-9 / rates_.together();
    nlohmann::json row{{"case", case_.name},
                       {"library", "ashlar"},
                       {"kernel", candidate.kernel},
                       {"type", "double"},
                       {"block_size", case_.host.block_size()},
                       {"num_vectors", num_vectors},
                       {"limit_bytes", streaming_.device_memory_limit},
                       {"host_share", median(candidate.host_shares)},
                       {"host_share_of_turns", candidate.host_shares},
                       {"num_subdivisions", estimate.num_subdivisions},
                       {"resident_bytes", estimate.resident_bytes},
                       {"sent_bytes", estimate.sent_bytes},
                       {"host_bytes", estimate.host_bytes},
                       {"seconds", seconds},
                       {"seconds_of_turns", candidate.seconds},
                       {"bytes", bytes},
                       {"gb_s", bytes / seconds * 1e-9},
                       {"limit_gb_s", rates_.link},
                       {"fraction", double(estimate.sent_bytes) / seconds * 1e-9 / rates_.link},
                       {"floor_seconds", estimate.host_bytes > 0 ? floor_with_host : floor},
                       {"plain_host_gb_s", rates_.host},
                       {"plain_host_gb_s_beside", rates_.host_beside},
                       {"plain_link_gb_s_beside", rates_.link_beside},
                       {"verified", candidate.is_right},
                       {"plan", candidate.plan}};
    if (!candidate.predicted.empty()) {
      row["predicted_seconds"] = median(candidate.predicted);
      row["predicted_seconds_of_turns"] = candidate.predicted;
    }
    if (!candidate.is_right) row.erase("seconds");
    results_.push_back(std::move(row));
    const auto [least, most] = std::minmax_element(candidate.seconds.begin(), candidate.seconds.end());
    std::printf(
        "  %-23s host share %.3f, %3d subdivisions: %8.2f ms (%.2f to %.2f)%s (sent %.2f GB, host %.2f GB)%s\n",
        candidate.kernel, median(candidate.host_shares), estimate.num_subdivisions, seconds * 1e3, *least * 1e3,
        *most * 1e3,
        candidate.predicted.empty() ? "" : text(", foreseen ", median(candidate.predicted) * 1e3, " ms").c_str(),
        double(estimate.sent_bytes) * 1e-9, double(estimate.host_bytes) * 1e-9,
        candidate.is_right ? "" : " WRONG RESULT");
    std::fflush(stdout);
  }

  Exec exec_;
  const StreamingCase& case_;
  const StreamingPerfOptions& options_;
  nlohmann::json& results_;
  std::ptrdiff_t first_result_ = static_cast<std::ptrdiff_t>(results_.size());
  StreamingOptions streaming_;
  std::vector<Candidate> candidates_;
  Expected<double> expected_;
  Vector<double> last_{"perf::last", std::size_t(case_.host.num_rows())};  // column of y
  HostMatrix half_;                                                        // none where nothing is sent
  PlainRates rates_;
  std::uint64_t peak_ = 0;
  bool all_right_ = true;
};

}  // namespace

bool run_limited(const Exec& exec, const StreamingCase& matrix, double fraction, int num_vectors,
                 const StreamingPerfOptions& options, nlohmann::json& results) {
  return Limited(exec, matrix, fraction, num_vectors, options, results).run();
}

}  // namespace ashlar::perf
