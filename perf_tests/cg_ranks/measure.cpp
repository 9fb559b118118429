#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/blas1/local_space.hpp>
#include <cg_ranks/measure.hpp>
#include <cg_ranks/operator.hpp>
#include <cg_ranks/solve.hpp>
#include <cmath>
#include <support/seconds_of_iteration.hpp>
#include <utility>

namespace ashlar::perf {

namespace {

/// What a rank does in a product with `op`, less the exchange: for the time that its work takes alone.
template <class Exec>
class LocalWork {
 public:
  explicit LocalWork(const OperatorOn<Exec>& op) : op_(op) {}

  template <class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) const {
    op_.apply_without_exchange(exec, x, y);
  }
  LocalSpace space() const { return LocalSpace(op_.space().num_local()); }
  std::int64_t traffic_bytes() const { return op_.traffic_bytes(); }
  HeldBytes bytes() const { return op_.bytes(); }
  bool is_stream_ordered() const { return is_gpu_v<Exec>; }
  std::string explain() const { return "the local work of a distributed product"; }

 private:
  const OperatorOn<Exec>& op_;
};

/// Throws NumericalError where A x is not what plain loops make of these rows and the same x, which each rank knows all
/// of.
template <class Exec, class Rows>
void check_product(const Exec& exec, const Rows& a, const OperatorOn<Exec>& op, std::int64_t first_block_row) {
  const int b = a.block_size();
  const VectorOn<Exec> x("perf::x", a.num_rows()), y("perf::y", a.num_rows());
  const std::int64_t first = first_block_row * b;
  const Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>> all(exec, 0, a.num_rows());
  Kokkos::parallel_for(
      "perf::x", all, KOKKOS_LAMBDA(std::int64_t i) { x(i) = test_entry(first + i); });
  op.apply(exec, x, y);
  const auto row_ptr = a.graph().row_ptr();
  const auto col_idx = a.graph().col_idx();
  const auto values = a.values();
  double worst = 0;
  Kokkos::parallel_reduce(
      "perf::plain_product", all,
      KOKKOS_LAMBDA(std::int64_t row, double& most) {
        const std::int64_t i = row / b;
        const int r = static_cast<int>(row % b);
        double sum = 0, magnitude = 0;
        for (std::int64_t k = row_ptr(i); k < std::int64_t(row_ptr(i + 1)); ++k) {
          for (int c = 0; c < b; ++c) {
            const double product =
                values(k * b * b + Rows::layout_type::at(r, c, b)) * test_entry(std::int64_t(col_idx(k)) * b + c);
            sum += product;
            magnitude += Kokkos::abs(product);
          }
        }
        const double error = Kokkos::abs(y(row) - sum) / (magnitude > 0 ? magnitude : 1);
        if (!(error <= most)) most = error;  // a NaN is no less wrong
      },
      Kokkos::Max<double>(worst));
  exec.fence("perf: check");
  if (!(worst < 1e-13)) {
    throw NumericalError(text("a product is off by ", worst, " of its summands"), "plain loops give another one",
                         "this is a fault of the library");
  }
}

}  // namespace

std::string RanksForm::name() const {
  const char* const x = x_update == CgXUpdate::under_reduction    ? ", x under_reduction"
                        : x_update == CgXUpdate::before_reduction ? ", x before_reduction"
                        : x_update == CgXUpdate::with_direction   ? ", x with_direction"
                                                                  : "";
  const char* const by = launch == CgLaunch::persistent   ? ", one kernel"
                         : launch == CgLaunch::graph      ? ", graph"
                         : launch == CgLaunch::one_by_one ? ", kernel by kernel"
                                                          : "";
  return text(to_string(distributed.decomposition), " ", to_string(distributed.halo.form), x,
              distributed.overlap ? "" : ", no overlap",
              distributed.exchange == ExchangeMode::automatic ? "" : text(", ", to_string(distributed.exchange)), by);
}

template <class Exec>
RanksTimes measure(const Exec& exec, const Communicator& comm, const RankSystem<Exec>& system, const RanksForm& form,
                   int samples, const std::vector<int>& iterations) {
  const OperatorOn<Exec> op = make_operator(exec, comm, system, form.distributed);
  comm.together([&] {
    const std::int64_t first = system.partition.begin(comm.rank());
    system.host_rows ? check_product(exec, *system.host_rows, op, first) : check_product(exec, system.rows, op, first);
  });
  const VectorOn<Exec> x("perf::x", system.b.extent(0));

  RanksTimes times;
  const auto [report, ignored] =
      solve(exec, comm, op, system.b, x,
            {.rtol = rtol, .max_iterations = most_iterations, .launch = form.launch, .x_update = form.x_update});
  if (report.status != SolveStatus::converged) {
    throw NumericalError(text(system.name, ", ", form.name(), ": a solve ends with ", to_string(report.status)),
                         text("after ", report.iterations, " iterations"), "choose another case");
  }
  times.iterations = report.iterations;
  times.relative_residual = report.relative_residual;

  SolveSeconds wall, busy;
  for (int sample = -1; sample < samples; ++sample) {
    for (const int which : {0, 1}) {
      const double idle_before = op.idle_seconds();
      const CgOptions options{.rtol = 0,
                              .max_iterations = iterations[std::size_t(which)],
                              .launch = form.launch,
                              .x_update = form.x_update};
      const double seconds = solve(exec, comm, op, system.b, x, options).second;
      if (sample < 0) continue;
      wall[std::size_t(which)].push_back(comm.max(seconds));
      // By sample: what others delay this rank by differs between them, what it does itself hardly.
      busy[std::size_t(which)].push_back(seconds - (op.idle_seconds() - idle_before));
    }
  }
  try {
    times.us = 1e6 * seconds_of_iteration(wall, iterations[0], iterations[1]);
  } catch (const ArgumentError& error) {  // on all ranks, as they have the same seconds
    times.no_time = error;
    return times;
  }
  // Of a rank that is hardly busy noise may be more than that: it is no less than nothing, and no more than all.
  const double busy_us = std::clamp(1e6 * difference_by_iteration(busy, iterations[0], iterations[1]), 0.0, times.us);
  times.busy_us = comm.all_gather(busy_us);
  times.idle_us = comm.all_gather(times.us - busy_us);
  times.blocks = comm.all_gather(double(op.num_blocks()));

  // Of others only zeros: what is left is the rank's own block of A, which is SPD too.
  Kokkos::deep_copy(exec, x, 0.0);
  op.apply(exec, x, VectorOn<Exec>("perf::y", x.extent(0)));
  double alone_us = 0;
  const LocalWork<Exec> local(op);
  for (int rank = 0; rank < comm.size(); ++rank) {
    comm.barrier();
    if (rank != comm.rank()) continue;
    SolveSeconds alone;
    const Communicator nobody;
    for (int sample = -1; sample < samples; ++sample) {
      for (const int which : {0, 1}) {
        const CgOptions options{.rtol = 0, .max_iterations = iterations[std::size_t(which)], .x_update = form.x_update};
        const double seconds = solve(exec, nobody, local, system.b, x, options).second;
        if (sample >= 0) alone[std::size_t(which)].push_back(seconds);
      }
    }
    alone_us = std::max(1e6 * difference_by_iteration(alone, iterations[0], iterations[1]), 0.0);
  }
  comm.barrier();
  times.alone_us = comm.all_gather(alone_us);
  times.halo_bytes = comm.sum(op.halo_plan().num_entries() * std::int64_t(system.block_size * sizeof(double)));
  times.exchange = std::string(to_string(op.exchange_mode()));
  times.launch = comm.broadcast(report.launch);
  times.iterates_in_kernel = report.iterates_in_kernel;
  times.explain = comm.broadcast(op.explain());
  return times;
}

template RanksTimes measure(const HostExec&, const Communicator&, const RankSystem<HostExec>&, const RanksForm&, int,
                            const std::vector<int>&);
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template RanksTimes measure(const Exec&, const Communicator&, const RankSystem<Exec>&, const RanksForm&, int,
                            const std::vector<int>&);
#endif

}  // namespace ashlar::perf
