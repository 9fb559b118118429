// Smoothed aggregation over ranks: iteration counts, coarse matrices, symmetry, new values, ranks without rows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <ashlar/amg/distributed.hpp>
#include <ashlar/amg/preconditioner.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/blas1/blas1.hpp>
#include <ashlar/distributed/operator.hpp>
#include <ashlar/distributed/scatter.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/operators/bcsr_operator.hpp>
#include <ashlar/problems/cantilever.hpp>
#include <ashlar/reference/spmv.hpp>
#include <cmath>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "support/compare.hpp"
#include "support/message.hpp"
#include "support/mpi_world.hpp"
#include "support/watcher.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;
using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;
using Matrix = BcsrMatrix<double>;
using Distributed = DistributedMatrix<Matrix>;
using Amg = amg::Preconditioner<Distributed>;
using AmgInFloat = amg::Preconditioner<Distributed, float>;
using Vector = Kokkos::View<double*, Space>;

const std::shared_ptr<const Communicator>& shared_world() {
  static const auto comm = std::make_shared<const Communicator>(world().duplicate());
  return comm;
}

/// A cantilever of which each rank has its part.
struct RankBeam {
  problems::Cantilever problem;
  RowPartition partition;
  std::optional<Distributed> a;
  Vector load;
  amg::NearNullSpace<Space> modes;

  explicit RankBeam(std::array<int, 3> nodes, double poissons_ratio = 0.3)
      : RankBeam(nodes, poissons_ratio,
                 RowPartition::even(std::int64_t(nodes[0]) * nodes[1] * nodes[2], world().size())) {}

  RankBeam(std::array<int, 3> nodes, double poissons_ratio, RowPartition given) : partition(std::move(given)) {
    problem.nodes = nodes;
    problem.poissons_ratio = poissons_ratio;
    const Exec exec;
    const int rank = world().rank();
    const problems::RowRange rows{partition.begin(rank), partition.end(rank)};
    a.emplace(exec, shared_world(), partition, partition, problems::cantilever_matrix<Matrix>(exec, problem, rows));
    load = problems::cantilever_load<double, Space>(exec, problem, rows);
    const std::vector<double> all = problems::hex_points(problems::cantilever_grid(problem));
    const std::vector<double> points(all.begin() + 3 * rows.begin, all.begin() + 3 * rows.end);
    modes = amg::rigid_body_modes<Space>(exec, to_device<Space>(points), 3, 3, world());
    exec.fence();
  }

  std::int64_t num_local() const { return std::int64_t(load.extent(0)); }
};

/// The first rank, or if there is one the second, has nothing.
RowPartition with_an_empty_part(std::int64_t count) {
  const int ranks = world().size(), empty = std::min(1, ranks - 1);
  std::vector<std::int64_t> offsets{0};
  for (int rank = 0, filled = 0; rank < ranks; ++rank) {
    const bool is_empty = rank == empty && ranks > 1;
    if (!is_empty) ++filled;
    offsets.push_back(is_empty ? offsets.back() : count * filled / std::max(ranks - 1, 1));
  }
  return RowPartition(offsets);
}

template <class M>
SolveReport solve(const RankBeam& beam, const M& m, ExchangeMode mode = ExchangeMode::blocking) {
  const Exec exec;
  DistributedOptions options;
  options.exchange = mode;
  const DistributedOperator<Matrix> op(exec, *beam.a, options);
  const Vector x("x", beam.num_local());
  return cg(exec, op, m, beam.load, x, {.rtol = 1e-8});
}

int iterations_of_one_rank(std::array<int, 3> nodes) {
  problems::Cantilever problem;
  problem.nodes = nodes;
  const Exec exec;
  const auto a = problems::cantilever_matrix<Matrix>(exec, problem);
  const auto load = problems::cantilever_load<double, Space>(exec, problem);
  const auto points = to_device<Space>(problems::hex_points(problems::cantilever_grid(problem)));
  const amg::Preconditioner<Matrix> m(exec, a, amg::rigid_body_modes<Space>(exec, points, 3, 3));
  const Vector x("x", a.num_rows());
  return cg(exec, BcsrOperator<Matrix>(exec, a), m, load, x, {.rtol = 1e-8}).iterations;
}

/// All of a distributed matrix, dense, row after row, on each rank.
std::vector<double> dense(const Distributed& a) {
  return world().all_gather([&] {
    const Exec exec;
    const std::int64_t n = a.num_global_cols(), rows = a.block_shape().rows, cols = a.block_shape().cols;
    std::vector<double> own(std::size_t(a.local().num_rows() * n), 0);
    const auto put = [&](const Matrix& part, const auto& row, const auto& column) {
      const auto host = copy_to<Kokkos::HostSpace>(exec, part);
      exec.fence();
      const auto entries = reference::dense(host);
      const std::int64_t width = part.num_cols();
      for (std::int64_t i = 0; i < part.num_rows(); ++i) {
        for (std::int64_t j = 0; j < width; ++j) {
          if (entries[i * width + j] == 0) continue;
          own[(row(i / rows) * rows + i % rows) * n + column(j / cols) * cols + j % cols] = entries[i * width + j];
        }
      }
    };
    const std::int64_t first = a.column_map().begin(a.rank());
    put(
        a.local(), [](std::int64_t i) { return i; }, [&](std::int64_t j) { return first + j; });
    const auto remote_rows = to_host(a.remote_rows());
    const auto columns = to_host(a.halo_columns());
    put(
        a.remote(), [&](std::int64_t i) { return std::int64_t(remote_rows[i]); },
        [&](std::int64_t j) { return columns[j]; });
    return own;
  }());
}

/// A is m x k, B is k x n, row after row.
std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b, std::int64_t m, std::int64_t k,
                            std::int64_t n) {
  std::vector<double> c(std::size_t(m * n), 0);
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t l = 0; l < k; ++l) {
      for (std::int64_t j = 0; a[i * k + l] != 0 && j < n; ++j) c[i * n + j] += a[i * k + l] * b[l * n + j];
    }
  }
  return c;
}

std::vector<double> transposed(const std::vector<double>& a, std::int64_t m, std::int64_t n) {
  std::vector<double> t(a.size());
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) t[j * m + i] = a[i * n + j];
  }
  return t;
}

TEST(AmgOverMpi, TakesTheIterationsOfOneRank) {
  const Exec exec;
  for (const auto nodes : {std::array{17, 9, 9}, {9, 17, 17}}) {
    const RankBeam beam(nodes);
    const int of_one = iterations_of_one_rank(nodes);
    for (const ExchangeMode mode : {ExchangeMode::blocking, ExchangeMode::kernel}) {
      if (is_gpu_v<Exec> && mode == ExchangeMode::kernel && world().size() > Kokkos::num_devices()) continue;
      const SolveReport report = solve(beam, Amg(exec, *beam.a, beam.modes, {.exchange = mode}), mode);
      EXPECT_EQ(report.status, SolveStatus::converged);
      EXPECT_LE(report.relative_residual, 1.01e-8);
      EXPECT_LE(report.iterations, of_one + 3) << to_string(mode);
      if (world().size() == 1) {
        EXPECT_EQ(report.iterations, of_one);
      }
    }
    const SolveReport in_float = solve(beam, AmgInFloat(exec, *beam.a, beam.modes));
    EXPECT_LE(in_float.relative_residual, 1.01e-8) << "the true residual, in double";
    EXPECT_LE(in_float.iterations, of_one + 3);
  }
}

/// A_1 = P^T A_0 P, of all ranks.
void expect_triple_product(const Amg& m) {
  const auto& levels = m.hierarchy().levels();
  ASSERT_GE(levels.size(), 2u);
  const Distributed &fine = levels[0].matrix(), &prolongator = levels[0].transfer()->prolongator(),
                    &coarse = levels[1].matrix();
  const std::int64_t n = fine.num_global_rows(), nc = coarse.num_global_rows();
  const auto p = dense(prolongator), c = dense(coarse);
  auto expected = product(transposed(p, n, nc), product(dense(fine), p, n, n, nc), nc, n, nc);
  for (std::int64_t i = 0; i < nc; ++i) {
    if (expected[i * nc + i] == 0) expected[i * nc + i] = c[i * nc + i];  // a mode that depends on others
  }
  EXPECT_LE(max_difference(c, expected), 1e-13);
  if (world().size() > 1) {
    EXPECT_GT(world().sum(std::int64_t(prolongator.remote().num_blocks())), 0) << "columns of P cross ranks";
  }
}

TEST(AmgOverMpi, CoarseMatricesAreTripleProducts) {
  const RankBeam beam({9, 8, 7});
  expect_triple_product(Amg(Exec(), *beam.a, beam.modes, {.coarsest_rows = 30}));
}

/// r^T M s = s^T M r, and r^T M r > 0.
template <class M>
void expect_symmetric(const RankBeam& beam, const M& m, double tolerance) {
  const Exec exec;
  const std::int64_t n = beam.num_local(), first = beam.partition.begin(world().rank()) * 3;
  const std::int64_t all = beam.a->num_global_rows();
  const Vector mr("mr", n), ms("ms", n);
  for (unsigned seed = 1; seed < 4; ++seed) {
    const auto part = [&](const std::vector<double>& whole) {
      return std::vector<double>(whole.begin() + first, whole.begin() + first + n);
    };
    const auto r = part(random_vector<double>(all, seed)), s = part(random_vector<double>(all, seed + 10));
    m.apply(exec, to_device<Space>(r), mr);
    m.apply(exec, to_device<Space>(s), ms);
    exec.fence();
    const auto of_r = to_host(mr), of_s = to_host(ms);
    double rms = 0, smr = 0, rmr = 0, sms = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      rms += r[i] * of_s[i], smr += s[i] * of_r[i], rmr += r[i] * of_r[i], sms += s[i] * of_s[i];
    }
    rms = world().sum(rms), smr = world().sum(smr), rmr = world().sum(rmr), sms = world().sum(sms);
    EXPECT_GT(rmr, 0);
    EXPECT_GT(sms, 0);
    EXPECT_NEAR(rms, smr, tolerance * std::sqrt(rmr * sms));
  }
}

TEST(AmgOverMpi, IsSymmetricAndPositiveDefinite) {
  const Exec exec;
  const RankBeam beam({13, 9, 9});
  for (const auto cycle : {cycles::CycleKind::v, cycles::CycleKind::w}) {
    const amg::Options options{.cycle = cycle, .coarsest_rows = 30};
    expect_symmetric(beam, Amg(exec, *beam.a, beam.modes, options), 1e-12);
    expect_symmetric(beam, AmgInFloat(exec, *beam.a, beam.modes, options), 1e-4);
  }
}

TEST(AmgOverMpi, AllSmoothersAreSymmetricAndNeedFewIterations) {
  const Exec exec;
  const RankBeam beam({13, 9, 9});
  for (const auto smoother : {amg::SmootherKind::l1_jacobi, amg::SmootherKind::gauss_seidel}) {
    for (const int levels : {1, 20}) {
      const amg::Options options{.smoother = smoother, .coarsest_rows = 30, .max_levels = levels};
      expect_symmetric(beam, Amg(exec, *beam.a, beam.modes, options), 1e-12);
    }
    const SolveReport report = solve(beam, Amg(exec, *beam.a, beam.modes, {.smoother = smoother}));
    EXPECT_EQ(report.status, SolveStatus::converged);
    EXPECT_LE(report.iterations, 40);
  }
}

/// The sums of l1 norms are over all columns, whichever rank has them.
TEST(AmgOverMpi, SweepsOfL1JacobiAreThoseOfOneRank) {
  const Exec exec;
  const std::array nodes{9, 5, 5};
  const amg::Options options{
      .smoother = amg::SmootherKind::l1_jacobi, .smoother_degree = 3, .coarsest_rows = 1, .max_levels = 1};
  const RankBeam beam(nodes);
  const auto a = problems::cantilever_matrix<Matrix>(exec, beam.problem);
  const amg::Preconditioner<Matrix> of_one(exec, a, amg::constant_modes<Space>(exec, a.num_block_rows(), 3), options);
  const auto r = random_vector<double>(a.num_rows(), 5);
  const Vector z("z", a.num_rows()), own("own", beam.num_local());
  of_one.apply(exec, to_device<Space>(r), z);
  const std::int64_t first = 3 * beam.partition.begin(world().rank());
  const std::vector<double> part(r.begin() + first, r.begin() + first + beam.num_local());
  Amg(exec, *beam.a, beam.modes, options).apply(exec, to_device<Space>(part), own);
  exec.fence();
  const auto all = to_host(z);
  const std::vector<double> expected(all.begin() + first, all.begin() + first + beam.num_local());
  EXPECT_LE(max_difference(to_host(own), expected), 1e-13);
}

template <class M>
std::vector<double> applied(const RankBeam& beam, const M& m) {
  const Exec exec;
  const auto r = to_device<Space>(random_vector<double>(beam.num_local(), 5 + unsigned(world().rank())));
  const Vector z("z", beam.num_local());
  m.apply(exec, r, z);
  exec.fence();
  return to_host(z);
}

/// Values of this rank's rows in the units of another: times 4, which rounds nothing.
Matrix::values_view in_other_units(const Matrix& rows) {
  auto values = to_host(rows.values());
  for (double& value : values) value *= 4;
  return to_device<Space>(values);
}

/// (With other values than in other units a new hierarchy may have other aggregates: weights decide who joins which.)
TEST(AmgOverMpi, UpdateOfValuesIsANewHierarchy) {
  const Exec exec;
  const amg::Options options{.coarsest_rows = 30};
  const RankBeam beam({13, 9, 9});
  const int rank = world().rank();
  const auto rows = problems::cantilever_matrix<Matrix>(
      exec, beam.problem, problems::RowRange{beam.partition.begin(rank), beam.partition.end(rank)});
  const Distributed values = beam.a->with_values(exec, in_other_units(rows));
  const Amg updated(exec, *beam.a, beam.modes, options), made(exec, values, beam.modes, options);
  EXPECT_GE(made.hierarchy().levels().size(), 3u);
  updated.update_values(exec, values);
  EXPECT_EQ(max_difference(applied(beam, updated), applied(beam, made)), 0);
  const AmgInFloat in_float(exec, *beam.a, beam.modes, options), made_in_float(exec, values, beam.modes, options);
  in_float.update_values(exec, values);
  EXPECT_EQ(max_difference(applied(beam, in_float), applied(beam, made_in_float)), 0);
}

TEST(AmgOverMpi, UpdatedMatricesAreTripleProducts) {
  const Exec exec;
  const RankBeam beam({9, 8, 7}, 0.3), stiff({9, 8, 7}, 0.4);
  const int rank = world().rank();
  const auto rows = problems::cantilever_matrix<Matrix>(
      exec, stiff.problem, problems::RowRange{stiff.partition.begin(rank), stiff.partition.end(rank)});
  const Amg m(exec, *beam.a, beam.modes, {.coarsest_rows = 30}),
      before(exec, *beam.a, beam.modes, {.coarsest_rows = 30});
  m.update_values(exec, beam.a->with_values(exec, rows.values()));
  expect_triple_product(m);
  EXPECT_EQ(max_difference(dense(m.hierarchy().levels()[0].matrix()), dense(*stiff.a)), 0);
  EXPECT_GT(max_difference(applied(beam, m), applied(beam, before)), 0);
  m.update_values(exec, *beam.a);
  EXPECT_EQ(max_difference(applied(beam, m), applied(beam, before)), 0);
}

/// The same bits each time, and in two modes of exchange.
TEST(AmgOverMpi, SameBitsInAllModes) {
  const Exec exec;
  const RankBeam beam({13, 9, 9});
  const auto of_mode = [&](ExchangeMode mode) {
    return applied(beam, Amg(exec, *beam.a, beam.modes, {.coarsest_rows = 30, .exchange = mode}));
  };
  const auto expected = of_mode(ExchangeMode::blocking);
  EXPECT_EQ(max_difference(of_mode(ExchangeMode::blocking), expected), 0);
  if (is_gpu_v<Exec> && world().size() > Kokkos::num_devices()) return;
  EXPECT_EQ(max_difference(of_mode(ExchangeMode::kernel), expected), 0);
  const auto spread = [&](ExchangeMode mode) {
    return applied(beam, Amg(exec, *beam.a, beam.modes, {.coarsest_rows = 30, .fewest_rows = 0, .exchange = mode}));
  };
  EXPECT_EQ(max_difference(spread(ExchangeMode::kernel), spread(ExchangeMode::blocking)), 0);
  EXPECT_EQ(max_difference(of_mode(ExchangeMode::automatic), expected), 0);
}

/// (With the default, coarse matrices of the other tests are on one rank.)
TEST(AmgOverMpi, SmallLevelsAreOnFewerRanks) {
  const Exec exec;
  const std::array nodes{13, 9, 9};
  const RankBeam beam(nodes);
  const int of_one = iterations_of_one_rank(nodes);
  for (const int fewest : {0, 10, 1000}) {
    const Amg m(exec, *beam.a, beam.modes, {.coarsest_rows = 30, .fewest_rows = fewest});
    EXPECT_LE(solve(beam, m).iterations, of_one + 3) << fewest;
    expect_symmetric(beam, m, 1e-12);
    const auto& levels = m.hierarchy().levels();
    ASSERT_GE(levels.size(), 3u);
    for (std::size_t l = 1; l < levels.size(); ++l) {
      const RowPartition& map = levels[l].matrix().row_map();
      int sharers = 0;
      for (int rank = 0; rank < world().size(); ++rank) sharers += map.size(rank) > 0;
      for (int rank = 0; rank < sharers && sharers > 1 && sharers < world().size(); ++rank) {
        EXPECT_GE(map.size(rank), fewest) << l;
      }
      if (fewest == 0 && l == 1) {
        EXPECT_EQ(sharers, world().size());
      }
      if (fewest == 1000) {
        EXPECT_EQ(sharers, 1);
      }
    }
  }
}

TEST(AmgOverMpi, ARankMayHaveNoRows) {
  const Exec exec;
  const std::array nodes{13, 9, 9};
  const RankBeam beam(nodes, 0.3, with_an_empty_part(13 * 9 * 9));
  const SolveReport report = solve(beam, Amg(exec, *beam.a, beam.modes));
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_LE(report.iterations, iterations_of_one_rank(nodes) + 3);
}

TEST(AmgOverMpi, SaysItsLevelsOverAllRanks) {
  const RankBeam beam({17, 9, 9});
  const std::string text = Amg(Exec(), *beam.a, beam.modes).explain();
  EXPECT_THAT(text, HasSubstr(std::string("level 0: 4131 rows, ") + std::to_string(beam.a->num_global_blocks())));
  EXPECT_THAT(text, HasSubstr("blocks of 6 x 6"));
  EXPECT_THAT(text, HasSubstr("coarsest level: dense inverse"));
}

/// Until it goes, allocations with one label throw.
class NoMemoryFor {
 public:
  explicit NoMemoryFor(const std::string& label) : before_(Kokkos::Tools::Experimental::get_callbacks()) {
    label_ = label;
    Kokkos::Tools::Experimental::set_allocate_data_callback(
        [](Kokkos::Tools::SpaceHandle, const char* of, const void*, std::uint64_t) {
          if (label_ == of) throw std::bad_alloc();
        });
  }
  NoMemoryFor(const NoMemoryFor&) = delete;
  NoMemoryFor& operator=(const NoMemoryFor&) = delete;
  ~NoMemoryFor() { Kokkos::Tools::Experimental::set_callbacks(before_); }

 private:
  inline static std::string label_;
  Kokkos::Tools::Experimental::EventSet before_;
};

/// No rank waits in a collective call for the one without memory.
TEST(AmgOverMpi, AllRanksThrowIfOneHasNoMemory) {
  const Exec exec;
  const RankBeam beam({9, 5, 5});
  const auto points = to_device<Space>(std::vector<double>(std::size_t(beam.num_local()), world().rank()));
  for (const std::string label :
       {"ashlar::amg::b", "ashlar::amg::t", "ashlar::amg::u", "ashlar::amg::ap", "ashlar::amg::dense_inverse",
        "ashlar::amg::whole", "ashlar::transpose_index.row_ptr", "ashlar::amg::modes"}) {
    SCOPED_TRACE(label);
    std::optional<NoMemoryFor> none;
    if (world().rank() == world().size() - 1) none.emplace(label);
    if (label == "ashlar::amg::modes") {
      EXPECT_ANY_THROW(amg::rigid_body_modes<Space>(exec, points, 3, 3, world()));
    } else {
      EXPECT_ANY_THROW(Amg(exec, *beam.a, beam.modes));
    }
  }
  EXPECT_EQ(solve(beam, Amg(exec, *beam.a, beam.modes)).status, SolveStatus::converged);
}

/// Set-up waits for its own instance alone.
TEST(AmgOverMpi, MakesNoGlobalFence) {
  const Exec exec;
  const RankBeam beam({9, 5, 5});
  exec.fence();
  const Watcher watcher;
  const Amg m(exec, *beam.a, beam.modes);
  for (const Happening& seen : watcher.seen()) {
    const bool is_global = seen.kind == Happening::Kind::fence && impl::is_global_fence(seen.device_id);
    EXPECT_FALSE(is_global && !impl::is_memory_fence(seen.label)) << seen.label;
  }
}

/// All ranks leave together, whichever is at fault.
TEST(AmgOverMpi, RefusesBadInputOnAllRanks) {
  const Exec exec;
  const RankBeam beam({9, 5, 5});
  amg::NearNullSpace<Space> modes = beam.modes;
  const int last = world().size() - 1;
  if (world().rank() == last) modes = amg::NearNullSpace<Space>("short", 3, 6);
  EXPECT_THAT(message_of<Error>([&] { Amg(exec, *beam.a, modes); }), HasSubstr("near-null space of 3 x 6"));
  const amg::NearNullSpace<Space> zero("zero", beam.modes.extent(0), 2);
  EXPECT_THAT(message_of<NumericalError>([&] { Amg(exec, *beam.a, zero); }), HasSubstr("mode 0 is 0"));
  const Amg m(exec, *beam.a, beam.modes);
  EXPECT_THAT(message_of<ShapeError>([&] {
                m.update_values(exec, *RankBeam({9, 5, 5}).a);
              }),
              HasSubstr("another distributed matrix"));
  // New values of one rank alone: the first row of the last rank has a negative diagonal entry.
  const RowPartition& partition = beam.partition;
  const auto rows = problems::cantilever_matrix<Matrix>(
      exec, beam.problem, problems::RowRange{partition.begin(world().rank()), partition.end(world().rank())});
  if (world().rank() == last) axpby(exec, -1.0, rows.values(), 0.0, rows.values());
  const auto first = std::to_string(3 * partition.begin(last));
  EXPECT_THAT(message_of<Error>([&] { m.update_values(exec, beam.a->with_values(exec, rows.values())); }),
              HasSubstr("diagonal entry of row " + first + " (from 0) is negative"));
  if (world().size() > 1) {
    EXPECT_THAT(message_of<ArgumentError>([&] { Amg(exec, *beam.a, beam.modes, {.strength = 0.01}); }),
                HasSubstr("strength 0.01"));
  }
}

}  // namespace
}  // namespace ashlar::testing
