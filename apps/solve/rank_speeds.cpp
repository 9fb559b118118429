#include "solve/ranks.hpp"

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/distributed/space.hpp>
#include <ashlar/halo/measure_halo.hpp>
#include <ashlar/spmv/spmv.hpp>
#include <ashlar/streaming/streamed_matrix.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "solve/memory_need.hpp"

namespace ashlar::app {

namespace {

/// Multiplies some rows of the matrix, in the memory that they are in.
template <class Exec>
struct LocalProduct {
  std::function<void(const Exec&)> multiply;
  std::int64_t num_blocks = 0;
};

template <class Exec>
LocalProduct<Exec> product_of(const Exec& exec, const Matrix<Exec>& rows, const SolveOptions& options) {
  const SpmvPlan<Matrix<Exec>> plan(exec, rows, {.kernel = options.method.kernel});
  const Vector<Exec> x("ashlar::app::x", rows.num_cols()), y("ashlar::app::y", rows.num_rows());
  Kokkos::deep_copy(exec, x, 1.0);
  return {[=](const Exec& on) { spmv(on, plan, 1, rows, x, 0, y); }, rows.num_blocks()};
}

/// The same, streamed as a solve would.
template <class Exec>
LocalProduct<Exec> streamed_product_of(const Exec& exec, const HostMatrix<Exec>& rows, const std::string& what,
                                       const SolveOptions& options) {
  const MatrixShape shape{std::uint64_t(rows.num_block_rows()), std::uint64_t(rows.num_blocks()),
                          std::uint64_t(rows.block_size())};
  const std::uint64_t limit = device_limit<Exec>(options);
  const auto streamed = within_limit(limit, bytes_beside_streaming(shape, options), what, options, [&] {
    StreamingOptions streaming = streaming_options(shape, options, limit);
    streaming.product.num_vectors = 1;
    return std::make_shared<Streamed<Exec>>(exec, rows, streaming);
  });
  const Vector<Exec> x("ashlar::app::x", rows.num_cols()), y("ashlar::app::y", rows.num_rows());
  Kokkos::deep_copy(exec, x, 1.0);
  return {[=](const Exec& on) { streamed->apply(on, x, y); }, rows.num_blocks()};
}

template <class Exec>
double blocks_per_second(const Exec& exec, const LocalProduct<Exec>& product) {
  constexpr double seconds_of_batch = 5e-3;
  if (product.num_blocks == 0) return 0;
  for (std::int64_t count = 1;; count *= 2) {
    const Kokkos::Timer timer;
    for (std::int64_t k = 0; k < count; ++k) product.multiply(exec);
    exec.fence("ashlar: products are timed");
    const double seconds = timer.seconds();
    if (seconds >= seconds_of_batch) return double(count) * double(product.num_blocks) / seconds;
  }
}

/// The rows that ranks are measured on: each rank gets as many. But where devices would stream without the hosts beside
/// them, devices get nine tenths: with few rows a device keeps them, is many times faster, and that rate does not hold
/// for more rows. Collective.
template <class Exec>
RowPartition rows_to_measure(const World& world, const SolveOptions& options, const RankRoles& roles,
                             const RowSource<Exec>& source) {
  const Communicator& comm = world.comm();
  const RowPartition even = RowPartition::even(source.num_block_rows, comm.size());
  const std::int64_t on_host = comm.sum(roles.on_host ? 1 : 0), on_devices = comm.size() - on_host;
  if (on_host == 0 || on_devices == 0) return even;
  const std::int64_t without_hosts = source.num_block_rows / on_devices;
  const bool streams = !roles.on_host && place_of_share(source, options, without_hosts) == MatrixPlace::host;
  if (comm.sum(streams ? 1 : 0) == 0) return even;
  constexpr double of_hosts = 0.1;
  const double share = roles.on_host ? of_hosts / double(on_host) : (1 - of_hosts) / double(on_devices);
  return RowPartition::by_shares(source.row_ptr(), comm.all_gather(share));
}

/// How often all ranks wait for each other's sums in an iteration.
int sums_of_iteration(const MethodOptions& method) {
  if (method.solver == SolverKind::bicgstab) return 3;
  return method.solver == SolverKind::cg && method.variant != VariantKind::standard ? 1 : 2;
}

/// The time of two sums over all ranks, as messages of the host. Collective; the same on all ranks.
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
bool one_device_streams(const World& world, const SolveOptions& options, const RankRoles& roles,
                        const RowSource<Exec>& source) {
  const Communicator& comm = world.comm();
  const MatrixPlace place = source.place.value_or(place_of<Exec>(share_of(source, source.num_block_rows), options));
  const bool streams = place == MatrixPlace::host;
  return comm.sum(roles.on_host ? 0 : 1) == 1 && comm.sum(!roles.on_host && streams ? 1 : 0) == 1;
}

template <class Exec>
std::vector<RankSpeed> measure_speeds(const Exec& exec, const World& world, const SolveOptions& options,
                                      const RankRoles& roles, const RowSource<Exec>& source) {
  const Communicator& comm = world.comm();
  world.on_all([&] {
    if (source.num_blocks == 0) {
      throw ArgumentError(text("--partition ", options.distribution.partition),
                          text(source.description, " has no blocks to multiply"), "pass another partition");
    }
  });
  const RowPartition measured = rows_to_measure(world, options, roles, source);
  const std::int64_t num_block_rows = measured.size(comm.rank());
  const MatrixPlace place = place_of_share(source, options, num_block_rows);
  const std::string what = text(source.description, ", to be measured");
  require_memory_for_share<Exec>(world, options, what, share_of(source, num_block_rows), place);
  double speed = 0;
  {
    // Whoever streams or not, all ranks make their rows together.
    const bool streams = place == MatrixPlace::host;
    HostMatrix<Exec> host_rows;
    Matrix<Exec> rows;
    if (streams) {
      host_rows = source.host_rows(measured);
    } else {
      rows = source.rows(measured);
    }
    const LocalProduct<Exec> product = world.on_all([&] {
      LocalProduct<Exec> made =
          streams ? streamed_product_of(exec, host_rows, what, options) : product_of(exec, rows, options);
      made.multiply(exec);
      exec.fence("ashlar: before products are timed");
      return made;
    });
    comm.barrier();  // all together: some may share a memory
    speed = world.on_all([&] { return blocks_per_second(exec, product); });
  }
  const HaloCosts costs = measure_halo(exec, comm);
  const double of_sums = sums_of_iteration(options.method) * seconds_of_sums(exec, comm);
  return comm.all_gather(RankSpeed{speed, costs.message_seconds + costs.options.pack_seconds + of_sums});
}

template bool one_device_streams(const World&, const SolveOptions&, const RankRoles&, const RowSource<HostExecution>&);
template std::vector<RankSpeed> measure_speeds(const HostExecution&, const World&, const SolveOptions&,
                                               const RankRoles&, const RowSource<HostExecution>&);
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template bool one_device_streams(const World&, const SolveOptions&, const RankRoles&, const RowSource<Execution>&);
template std::vector<RankSpeed> measure_speeds(const Execution&, const World&, const SolveOptions&, const RankRoles&,
                                               const RowSource<Execution>&);
#endif

}  // namespace ashlar::app
