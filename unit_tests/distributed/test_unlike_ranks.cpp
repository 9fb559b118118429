// Ranks that compute on devices and ranks that compute on the host, on one system. Where there is no device, both are
// the host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ashlar/distributed/operator.hpp>
#include <ashlar/halo/impl/choose_backend.hpp>  // nothing else shows what ranks of two kinds agree on without a GPU
#include <ashlar/halo/measure_halo.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/problems/stencil11.hpp>
#include <chrono>
#include <cstdint>
#include <string>
#include <support/thread_ranks.hpp>
#include <vector>

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;
using Device = Kokkos::DefaultExecutionSpace;
using Host = Kokkos::DefaultHostExecutionSpace;

constexpr int nx = 7, ny = 6, nz = 5, block = 2, num_block_rows = nx * ny * nz;

/// Something of each entry.
double entry(std::int64_t i) { return 1 + double((i * 37) % 101) / 101; }

/// The results of a rank: its entries of A x, and of the solution of A z = A x.
struct Found {
  std::vector<double> product, solution;
  int iterations = 0;
  std::string launch, why_mode;
};

template <class Exec>
Found find(const Communicator& comm, const RowPartition& partition, const DistributedOptions& options) {
  using Matrix = BcsrMatrix<double, BlockColumnMajor, std::int32_t, std::int32_t, typename Exec::memory_space>;
  using Vector = Kokkos::View<double*, typename Exec::memory_space>;
  const Exec exec = rank_instance<Exec>();
  const problems::RowRange range{partition.begin(comm.rank()), partition.end(comm.rank())};
  const DistributedOperator<Matrix> a(exec, comm, partition,
                                      problems::stencil11<Matrix>(exec, nx, ny, nz, block, range), options);
  const auto n = static_cast<std::size_t>(range.size() * block);
  std::vector<double> entries(n);
  for (std::size_t i = 0; i < n; ++i) entries[i] = entry(range.begin * block + std::int64_t(i));
  const Vector x("test::x", n), y("test::y", n), z("test::z", n);
  const auto on_host = [](std::vector<double>& values) {
    return Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(values.data(), values.size());
  };
  Kokkos::deep_copy(exec, x, on_host(entries));
  a.apply(exec, x, y);
  const SolveReport report = cg(exec, a, IdentityPreconditioner(), y, z, {.rtol = 1e-10});
  EXPECT_EQ(report.status, SolveStatus::converged);
  Found found{std::vector<double>(n), std::vector<double>(n), report.iterations, report.launch, a.why_exchange_mode()};
  Kokkos::deep_copy(exec, on_host(found.product), y);
  Kokkos::deep_copy(exec, on_host(found.solution), z);
  exec.fence("test: what was found");
  return found;
}

/// The last rank computes on the host.
Found find_by_role(const Communicator& comm, const RowPartition& partition, const DistributedOptions& options) {
  return comm.rank() + 1 == comm.size() && comm.size() > 1 ? find<Host>(comm, partition, options)
                                                           : find<Device>(comm, partition, options);
}

TEST(UnlikeRanks, MultiplyAndSolveAsOneDoes) {
  const Found one = find_by_role(Communicator(), RowPartition::even(num_block_rows, 1), {});
  for (const ExchangeMode mode : {ExchangeMode::automatic, ExchangeMode::blocking}) {
    for (const Decomposition decomposition : {Decomposition::one_d, Decomposition::two_d}) {
      DistributedOptions options;
      options.exchange = mode;
      options.decomposition = decomposition;
      for (const std::vector<std::int64_t>& offsets : {std::vector<std::int64_t>{0, 150, num_block_rows},
                                                       {0, 90, 200, num_block_rows},
                                                       {0, num_block_rows, num_block_rows}}) {
        SCOPED_TRACE(text(to_string(mode), " ", to_string(decomposition), " ", offsets[1]));
        const RowPartition partition(offsets);
        run_ranks(partition.num_parts(), [&](Communicator& comm) {
          const Found mine = find_by_role(comm, partition, options);
          const std::int64_t first = partition.begin(comm.rank()) * block;
          for (std::size_t i = 0; i < mine.product.size(); ++i) {
            EXPECT_NEAR(mine.product[i], one.product[std::size_t(first) + i], 1e-12 * 100) << i;
            EXPECT_NEAR(mine.solution[i], entry(first + std::int64_t(i)), 1e-6) << i;
          }
          EXPECT_NEAR(mine.iterations, one.iterations, 1);
        });
      }
    }
  }
}

/// The last rank is late for `late_for`; the others had nothing to do meanwhile, and know it.
template <class Exec>
void expect_idle(const Communicator& comm, const RowPartition& partition, Decomposition decomposition,
                 const char* late_for) {
  using Matrix = BcsrMatrix<double, BlockColumnMajor, std::int32_t, std::int32_t, typename Exec::memory_space>;
  const Exec exec = rank_instance<Exec>();
  const problems::RowRange range{partition.begin(comm.rank()), partition.end(comm.rank())};
  DistributedOptions options;
  options.exchange = ExchangeMode::blocking;
  options.decomposition = decomposition;
  options.idle_clock = IdleClock::device;
  const DistributedOperator<Matrix> a(exec, comm, partition,
                                      problems::stencil11<Matrix>(exec, nx, ny, nz, block, range), options);
  const auto n = static_cast<std::size_t>(range.size() * block);
  const Kokkos::View<double*, typename Exec::memory_space> x("test::x", n), y("test::y", n), sums("test::sums", 1);
  a.apply(exec, x, y);
  exec.fence("test: before a rank is late");
  const double all_before = a.idle_seconds(), in_sums_before = a.space().idle_seconds();
  const auto step = [&](const char* what, const auto& work) {
    comm.barrier();
    if (std::string(what) == late_for && comm.rank() + 1 == comm.size()) let_others_run(std::chrono::milliseconds(60));
    work();
  };
  step("the halo", [&] { a.apply(exec, x, y); });
  step("a sum", [&] {
    a.space().sum_begin(exec, sums);
    a.space().sum_end(exec, sums);
  });
  if (comm.rank() + 1 == comm.size()) return;
  const double in_sums = a.space().idle_seconds() - in_sums_before;
  const double in_halo = a.idle_seconds() - all_before - in_sums;
  EXPECT_GT(std::string(late_for) == "a sum" ? in_sums : in_halo, 0.03);
}

TEST(UnlikeRanks, KnowHowLongTheyIdleInHaloAndSums) {
  const RowPartition partition({0, 120, num_block_rows});
  for (const Decomposition decomposition : {Decomposition::one_d, Decomposition::two_d}) {
    for (const char* late_for : {"the halo", "a sum"}) {
      SCOPED_TRACE(text(to_string(decomposition), ", ", late_for));
      run_ranks(2, [&](Communicator& comm) {
        comm.rank() == 1 ? expect_idle<Host>(comm, partition, decomposition, late_for)
                         : expect_idle<Device>(comm, partition, decomposition, late_for);
      });
    }
  }
}

/// Ranks that stage messages measure copies besides: nobody waits for them in vain.
TEST(UnlikeRanks, AgreeOnWhatMessagesCost) {
  run_ranks(2, [](Communicator& comm) {
    const HaloCosts costs =
        comm.rank() == 1 ? measure_halo(rank_instance<Host>(), comm) : measure_halo(rank_instance<Device>(), comm);
    const std::vector<double> all = comm.all_gather(costs.message_seconds);
    EXPECT_EQ(all[0], all[1]);
    EXPECT_GT(all[0], 0);
  });
}

TEST(UnlikeRanks, ExchangeByMessagesAlone) {
  run_ranks(3, [](Communicator& comm) {
    const MemoryKind kind = comm.rank() == 2 ? MemoryKind::host : MemoryKind::cuda;
    const auto peers = [&] { return ashlar::impl::find_peers(comm, kind, text("device ", comm.rank())); };
    ExchangeOptions options;
    const ashlar::impl::PossibleModes possible = ashlar::impl::possible_modes(comm, options, kind, true, peers);
    EXPECT_EQ(possible.modes, std::vector<ExchangeMode>{ExchangeMode::blocking});
    EXPECT_THAT(possible.why, HasSubstr("stream: "));
    EXPECT_THAT(possible.why, HasSubstr("kernel: "));
    options.mode = ExchangeMode::kernel;
    try {
      ashlar::impl::possible_modes(comm, options, kind, true, peers);
      ADD_FAILURE() << "a kernel mode of unlike ranks";
    } catch (const ArgumentError& error) {
      EXPECT_THAT(error.what(), HasSubstr("rank 2 computes in host memory, rank 0 in CUDA memory"));
    }
    options.mode = ExchangeMode::blocking;
    EXPECT_EQ(ashlar::impl::possible_modes(comm, options, kind, true, peers).modes.front(), ExchangeMode::blocking);
  });
}

}  // namespace
}  // namespace ashlar::testing
