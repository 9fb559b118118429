#include "solve/rank_speeds.hpp"

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/distributed/space.hpp>
#include <ashlar/halo/measure_halo.hpp>
#include <ashlar/spmv/spmv.hpp>
#include <cstdint>
#include <memory>
#include <utility>

namespace ashlar::app {

namespace {

/// A product of some rows, made once.
template <class Exec>
class TimedProduct {
 public:
  TimedProduct(const Exec& exec, Matrix<Exec> rows, Kernel kernel)
      : rows_(std::move(rows)),
        plan_(exec, rows_, {.kernel = kernel}),
        x_("ashlar::app::x", rows_.num_cols()),
        y_("ashlar::app::y", rows_.num_rows()) {
    Kokkos::deep_copy(exec, x_, 1.0);
    multiply(exec);
    exec.fence("ashlar: before a product is timed");
  }

  double blocks_per_second(const Exec& exec) const {
    constexpr double seconds_of_batch = 5e-3;
    if (rows_.num_blocks() == 0) return 0;
    for (std::int64_t count = 1;; count *= 2) {
      const Kokkos::Timer timer;
      for (std::int64_t k = 0; k < count; ++k) multiply(exec);
      exec.fence("ashlar: a product is timed");
      const double seconds = timer.seconds();
      if (seconds >= seconds_of_batch) return double(count) * double(rows_.num_blocks()) / seconds;
    }
  }

 private:
  void multiply(const Exec& exec) const { spmv(exec, plan_, 1, rows_, x_, 0, y_); }

  Matrix<Exec> rows_;
  SpmvPlan<Matrix<Exec>> plan_;
  Vector<Exec> x_, y_;
};

/// How often all ranks wait for each other's sums in an iteration.
int sums_of_iteration(const MethodOptions& method) {
  return method.solver == SolverKind::cg && method.variant != VariantKind::standard ? 1 : 2;
}

/// What two sums over all ranks take, as messages of the host. Collective; the same on all ranks.
template <class Exec>
double seconds_of_sums(const Exec& exec, const Communicator& comm) {
  constexpr int count = 50;
  const DistributedSpace<Exec> space(exec, comm, 0);
  const Vector<Exec> sums("ashlar::app::sums", 2);
  const auto sum = [&] {
    space.sum_begin(exec, sums);
    space.sum_end(exec, sums);
  };
  sum();
  exec.fence("ashlar: before sums are timed");
  comm.barrier();
  const Kokkos::Timer timer;
  for (int k = 0; k < count; ++k) sum();
  exec.fence("ashlar: sums are timed");
  return comm.max(timer.seconds() / count);
}

}  // namespace

template <class Exec>
std::vector<RankSpeed> measure_speeds(const Exec& exec, const World& world, const SolveOptions& options,
                                      const RowSource<Exec>& source) {
  const Communicator& comm = world.comm();
  const RowPartition even = RowPartition::even(source.num_block_rows, comm.size());
  const std::int64_t num_block_rows = even.size(comm.rank());
  const MatrixPlace place = place_of_share(source, options, num_block_rows);
  world.on_all([&] {
    if (source.num_blocks == 0) {
      throw ArgumentError("--partition measured", text(source.description, " has no blocks to multiply"),
                          "pass another partition");
    }
    if (place != MatrixPlace::device) {
      throw ArgumentError(text("--partition measured: rank ", comm.rank(), " would stream its rows"),
                          "a rank is measured on rows that are where it multiplies",
                          "pass another partition, or --stream off");
    }
    require_memory_for<Exec>(share_of(source, num_block_rows), text(source.description, ", to be measured"), options,
                             place);
  });
  double speed = 0;
  {
    Matrix<Exec> rows = source.rows(even);
    const auto product = world.on_all(
        [&] { return std::make_unique<TimedProduct<Exec>>(exec, std::move(rows), options.method.kernel); });
    comm.barrier();  // all at once: some may share a memory
    speed = world.on_all([&] { return product->blocks_per_second(exec); });
  }
  const HaloCosts costs = measure_halo(exec, comm);
  const double of_sums = sums_of_iteration(options.method) * seconds_of_sums(exec, comm);
  return comm.all_gather(RankSpeed{speed, costs.message_seconds + costs.options.pack_seconds + of_sums});
}

template std::vector<RankSpeed> measure_speeds(const HostExecution&, const World&, const SolveOptions&,
                                               const RowSource<HostExecution>&);
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template std::vector<RankSpeed> measure_speeds(const Execution&, const World&, const SolveOptions&,
                                               const RowSource<Execution>&);
#endif

}  // namespace ashlar::app
