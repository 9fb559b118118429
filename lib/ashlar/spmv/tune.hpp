#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Timer.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/spmv/impl/choice/tournament.hpp>
#include <ashlar/spmv/plan.hpp>
#include <ashlar/spmv/spmv.hpp>
#include <ashlar/spmv/tuning_table.hpp>
#include <type_traits>
#include <vector>

namespace ashlar {

/// A launch of a product, and how long it took.
struct MeasuredLaunch {
  Kernel kernel = Kernel::automatic;
  int width = 0;           ///< as chosen, whoever chose it
  int tile_rows = 0;       ///< of by_tile, else 0
  int prefetch_bytes = 0;  ///< of block_row_per_thread on a CPU, else 0
  double seconds = 0;
};

/// What tune() found.
template <bcsr_matrix Matrix>
struct Tuned {
  SpmvPlan<Matrix> plan;
  TuningKey key;  ///< with `choice`, what a TuningTable keeps
  TuningChoice choice;
  double noise = 0;                      ///< seconds by which the choice had to beat the cost model's
  std::vector<MeasuredLaunch> measured;  ///< the cost model's choice first
};

namespace impl {

/// Vectors that products are measured with: x of ones, y of whatever.
template <class Scalar, class Space>
struct TuningVectors {
  using View = Kokkos::View<Scalar*, Space>;

  template <class Exec>
  TuningVectors(const Exec& exec, std::int64_t num_x, std::int64_t num_y)
      : x(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "ashlar::tune::x"), num_x),
        y(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "ashlar::tune::y"), num_y) {
    fill(exec, x);
  }

  template <class Exec>
  static void fill(const Exec& exec, const View& view) {
    Kokkos::parallel_for(
        "ashlar::tune[fill]", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, view.extent(0)),
        KOKKOS_LAMBDA(std::int64_t i) { view(i) = Scalar(1); });
  }

  View x, y;
};

/// The seconds of one of some calls enqueued together. How many suffice for a sample is found out by the first.
class SampleClock {
 public:
  template <class Exec, class Call>
  double sample(const Exec& exec, const Call& call) {
    if (calls_ == 0) {
      seconds(exec, call, 1);  // warms up
      const double once = std::max(seconds(exec, call, 1), 1e-9);
      calls_ = static_cast<int>(std::clamp(seconds_of_sample / once, 1.0, 1000.0));
    }
    return seconds(exec, call, calls_);
  }

 private:
  /// So long that neither the fence nor the clock counts.
  static constexpr double seconds_of_sample = 0.003;

  template <class Exec, class Call>
  static double seconds(const Exec& exec, const Call& call, int calls) {
    exec.fence("ashlar::tune: begin");
    const Kokkos::Timer timer;
    for (int k = 0; k < calls; ++k) call();
    exec.fence("ashlar::tune: end");
    return timer.seconds() / calls;
  }

  int calls_ = 0;
};

template <class Scalar, class Exec, class Matrix>
Tuned<Matrix> tune_products(const Exec& exec, const Matrix& matrix, const SpmvOptions& options) {
  const bool is_prefetch_asked = !is_gpu_v<Exec> && options.prefetch_bytes;
  if (options.kernel != Kernel::automatic || options.width != 0 || options.tile_rows != 0 || is_prefetch_asked) {
    throw ArgumentError("tune: a kernel, its width or prefetch_bytes is given", "these are what tuning chooses",
                        "leave them out, or make a plan without tuning");
  }
  // With a table at hand a plan learns of its longest row, on CPUs too.
  TuningTable table;
  SpmvOptions asked = options;
  asked.tuning = &table;
  const SpmvPlan<Matrix> by_model(exec, matrix, asked);
  Tuned<Matrix> result{
      by_model, tuning_key<Matrix>(exec, by_model.shape(), options.mode, options.double_vectors), {}, 0, {}};

  std::vector<LaunchRequest> requests = launch_candidates(by_model.shape(), spmv_device(exec));
  if (matrix.num_blocks() == 0) requests.resize(1);  // there is nothing to choose by
  std::vector<SpmvPlan<Matrix>> plans;
  for (const LaunchRequest& request : requests) {
    asked.kernel = request.kernel;
    asked.width = request.width;
    asked.tile_rows = request.tile_rows;
    asked.prefetch_bytes = request.prefetch_bytes;
    plans.push_back(request.is_free() ? by_model : by_model.with(exec, asked));
  }

  const bool transpose = is_transposed(options.mode);
  const TuningVectors<Scalar, typename Matrix::memory_space> vectors(
      exec, transpose ? matrix.num_rows() : matrix.num_cols(), transpose ? matrix.num_cols() : matrix.num_rows());
  std::vector<SampleClock> clocks(plans.size());
  const TournamentResult outcome = tournament(static_cast<int>(plans.size()), [&](int i) {
    return clocks[i].sample(exec, [&] { spmv(exec, plans[i], Scalar(1), matrix, vectors.x, Scalar(0), vectors.y); });
  });

  for (std::size_t i = 0; i < plans.size(); ++i) {
    const SpmvLaunch& launch = plans[i].launch();
    result.measured.push_back(
        {launch.kernel, launch.grouping.width, launch.tile.rows, launch.prefetch_bytes, outcome.seconds[i]});
  }
  const LaunchRequest& best = requests[outcome.winner];
  result.choice = {best.kernel,       best.width, best.tile_rows, best.prefetch_bytes, outcome.seconds[outcome.winner],
                   outcome.seconds[0]};
  result.noise = outcome.noise;
  table.set(result.key, result.choice);
  result.plan = by_model.with(
      exec, {.num_vectors = options.num_vectors, .tuning = &table, .double_vectors = options.double_vectors});
  return result;
}

}  // namespace impl

/// Measures products with this matrix, one for each kernel that takes it and, on a GPU, for the widths around the cost
/// model's choice, on a CPU for distances of prefetching, and returns the plan of the fastest. What to keep for the
/// next time is `key` and `choice`.
///
/// The cost model's choice is measured with the others, and stays the choice unless another is faster by more than the
/// noise seen: the wider of the two interquartile ranges over 15 samples of each, alternating, and 1 % at least. So a
/// tuned plan is never slower than the default beyond noise.
///
/// options  mode, double_vectors and num_vectors describe the products (one vector is measured); kernel, widths and, on
/// a CPU, prefetch_bytes are chosen; a table is ignored.
/// Memory   x and y, num_rows + num_cols scalars, and what the plans of the candidates hold, until it returns. The
///          matrix is read only.
/// Async    waits for `exec` many times: for set-up. It takes some tenths of a second, and more where a product takes
///          more than some milliseconds: up to some 100 products. Whatever else the device is given meanwhile disturbs
///          the measurement.
/// Throws   ArgumentError if the options request something that tune() chooses.
template <execution_space Exec, bcsr_matrix Matrix>
Tuned<Matrix> tune(const Exec& exec, const Matrix& matrix, const SpmvOptions& options = {}) {
  using Value = typename Matrix::scalar_type;
  if constexpr (std::is_same_v<Value, float>) {
    if (!options.double_vectors) return impl::tune_products<float>(exec, matrix, options);
  }
  return impl::tune_products<vector_scalar_t<Value>>(exec, matrix, options);
}

/// The plan that `table` has for this matrix. If it has none, or one that does not fit, the plan of tune(), whose
/// choice is put into the table.
///
/// Memory, Async, Throws   as SpmvPlan where the table has the choice, otherwise as tune().
template <execution_space Exec, bcsr_matrix Matrix>
SpmvPlan<Matrix> tuned_plan(const Exec& exec, const Matrix& matrix, TuningTable& table, SpmvOptions options = {}) {
  options.tuning = &table;
  {
    SpmvPlan<Matrix> plan(exec, matrix, options);
    if (plan.chosen_by() != ChosenBy::cost_model) return plan;
  }
  Tuned<Matrix> tuned = tune(exec, matrix, options);
  table.set(tuned.key, tuned.choice);
  return tuned.plan;
}

}  // namespace ashlar
