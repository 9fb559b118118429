// Smoothed aggregation for a matrix that is streamed, against the same for the matrix in memory.
#include <gmock/gmock.h>

#include <ashlar/amg/streamed_preconditioner.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/bcsr/build_by_rows.hpp>
#include <ashlar/bcsr/symmetric_half.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/operators/any_preconditioner.hpp>
#include <ashlar/operators/bcsr_operator.hpp>
#include <ashlar/streaming/streamed_symmetric_matrix.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "amg/systems.hpp"
#include "krylov/systems.hpp"
#include "support/held_bytes.hpp"
#include "support/message.hpp"
#include "support/watcher.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;
using Amg = amg::Preconditioner<Matrix>;
using Streamed = amg::StreamedPreconditioner<Matrix>;
using Half = StreamedSymmetricMatrix<Matrix>;
using Vector = Kokkos::View<double*, Space>;

Streamed::HostMatrix on_host(const Matrix& a) {
  const Exec exec;
  const auto there = copy_to<Streamed::HostMatrix::memory_space>(exec, a);
  exec.fence();
  return there;
}

Streamed::Modes on_host(const Modes& modes) { return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), modes); }

double max_norm(const std::vector<double>& x) { return max_difference(x, std::vector<double>(x.size(), 0)); }

struct Solved {
  SolveReport report;
  std::vector<double> x;
};

template <class Op, class M>
Solved solve(const Op& op, const M& m, const Vector& b) {
  const Exec exec;
  const Vector x("x", b.extent(0));
  const SolveReport report = cg(exec, op, m, b, x, {.rtol = 1e-10});
  exec.fence();
  return {report, to_host(x)};
}

/// Two applications give the same to rounding.
template <class M, class N>
void expect_same_application(const M& m, const N& n, std::int64_t rows) {
  const Exec exec;
  const auto r = to_device<Space>(random_vector<double>(rows, 3));
  const Vector by_m("by_m", rows), by_n("by_n", rows);
  m.apply(exec, r, by_m);
  n.apply(exec, r, by_n);
  exec.fence();
  EXPECT_LE(max_difference(to_host(by_m), to_host(by_n)), 1e-12 * max_norm(to_host(by_n)));
}

class StreamedAmgOf : public ::testing::TestWithParam<int> {
 protected:
  Beam beam = GetParam() == 3 ? Beam({13, 7, 7}) : Beam({15, 12, 11}, 0.3, 1);
  Streamed::HostMatrix a = on_host(beam.a);
  Streamed::Modes modes = on_host(beam.modes);
};

INSTANTIATE_TEST_SUITE_P(BlockSizes, StreamedAmgOf, ::testing::Values(1, 3));

TEST_P(StreamedAmgOf, SolvesAsTheMatrixInMemory) {
  const Exec exec;
  const amg::Options options{.coarsest_rows = 60};
  const Amg resident(exec, beam.a, beam.modes, options);
  ASSERT_GE(resident.hierarchy().levels().size(), 2u);
  const Solved expected = solve(BcsrOperator<Matrix>(exec, beam.a), resident, beam.load);
  ASSERT_EQ(expected.report.status, SolveStatus::converged);
  for (const int subdivisions : {1, 2, 7, 30}) {
    for (const int resident_parts : {0, -1}) {
      const Streamed m(exec, a, modes, options,
                       {.num_subdivisions = subdivisions, .num_resident = resident_parts, .copy_always = true});
      EXPECT_EQ(m.product().num_subdivisions(), subdivisions);
      const Solved solved = solve(m.product(), m, beam.load);
      EXPECT_EQ(solved.report.status, SolveStatus::converged);
      EXPECT_EQ(solved.report.iterations, expected.report.iterations);
      EXPECT_LE(max_difference(solved.x, expected.x), 1e-9 * max_norm(expected.x));
    }
  }
}

TEST_P(StreamedAmgOf, CyclesAndSmoothersAreThoseOfTheMatrixInMemory) {
  const Exec exec;
  const std::int64_t n = beam.a.num_rows();
  for (const auto cycle : {cycles::CycleKind::v, cycles::CycleKind::w}) {
    for (const auto smoother : {amg::SmootherKind::chebyshev, amg::SmootherKind::l1_jacobi}) {
      const amg::Options options{.cycle = cycle, .smoother = smoother, .coarsest_rows = 20};
      const Amg resident(exec, beam.a, beam.modes, options);
      ASSERT_GE(resident.hierarchy().levels().size(), 3u) << "a W-cycle is more than a V-cycle";
      expect_same_application(Streamed(exec, a, modes, options, {.num_subdivisions = 3, .copy_always = true}), resident,
                              n);
    }
  }
  // One level alone, which is smoothed; and strong couplings alone.
  for (const auto& options : {amg::Options{.max_levels = 1}, amg::Options{.strength = 0.05, .coarsest_rows = 60}}) {
    expect_same_application(Streamed(exec, a, modes, options), Amg(exec, beam.a, beam.modes, options), n);
  }
}

TEST(StreamedAmg, InvertsASmallMatrix) {
  const Exec exec;
  const Beam beam({4, 3, 3});
  const Streamed m(exec, on_host(beam.a), on_host(beam.modes));
  EXPECT_THAT(m.explain(), HasSubstr("coarsest level: dense inverse"));
  EXPECT_EQ(m.sent_bytes(), 0u);
  expect_same_application(m, Amg(exec, beam.a, beam.modes), beam.a.num_rows());
}

TEST_P(StreamedAmgOf, TakesTheHalfOfASymmetricMatrix) {
  const Exec exec;
  const Kokkos::DefaultHostExecutionSpace host;
  const Streamed::HostMatrix half = symmetric_half(host, a);
  host.fence();
  const amg::Options options{.coarsest_rows = 60};
  const amg::StreamedPreconditioner<Matrix, Half> m(exec, a, modes, options, [&](std::uint64_t) {
    return std::make_shared<Half>(exec, half, StreamingOptions{.num_subdivisions = 4, .copy_always = true});
  });
  const Amg resident(exec, beam.a, beam.modes, options);
  expect_same_application(m, resident, beam.a.num_rows());
  EXPECT_EQ(solve(m.product(), m, beam.load).report.iterations,
            solve(BcsrOperator<Matrix>(exec, beam.a), resident, beam.load).report.iterations);
}

TEST_P(StreamedAmgOf, TakesNewValues) {
  const Exec exec;
  const amg::Options options{.smoother = amg::SmootherKind::l1_jacobi, .coarsest_rows = 60};
  const Streamed m(exec, a, modes, options, {.num_subdivisions = 3, .copy_always = true});
  // Another stiffness in each half of the body: values change, the structure stays.
  const Beam other = GetParam() == 3 ? Beam({13, 7, 7}, 0.1) : Beam({15, 12, 11}, 0.3, 1);
  const double factor = GetParam() == 3 ? 1 : 2.5;
  const auto given = on_host(other.a);
  std::vector<double> values(given.values().data(), given.values().data() + given.num_values());
  for (std::size_t k = 0; k < values.size(); ++k) a.values()(k) = factor * values[k];
  m.update_values(exec);
  Kokkos::deep_copy(other.a.values(), a.values());
  expect_same_application(m, Amg(exec, other.a, other.modes, options), beam.a.num_rows());
}

/// As a preconditioner of any type, and for several vectors.
TEST_P(StreamedAmgOf, IsAPreconditionerLikeOthers) {
  const Exec exec;
  const Streamed m(exec, a, modes, {.coarsest_rows = 60}, {.num_subdivisions = 3, .copy_always = true});
  const AnyPreconditioner<double, Exec> any(m);
  expect_same_application(any, m, beam.a.num_rows());
  EXPECT_FALSE(any.is_capturable());
  const std::int64_t n = beam.a.num_rows();
  const auto r = random_block<Kokkos::View<double**, Kokkos::LayoutLeft, Space>>(n, 2, 5);
  const Kokkos::View<double**, Kokkos::LayoutLeft, Space> z("z", n, 2);
  m.apply(exec, r, z);
  const Vector one("one", n);
  m.apply(exec, Kokkos::subview(r, Kokkos::ALL, 1), one);
  exec.fence();
  EXPECT_EQ(to_host(Vector(Kokkos::subview(z, Kokkos::ALL, 1))), to_host(one));
  EXPECT_THAT(message_of<ShapeError>([&] { m.apply(exec, one, Vector("short", n - 1)); }), HasSubstr("entries"));
}

TEST_P(StreamedAmgOf, TellsWhatACycleSends) {
  const Exec exec;
  const Streamed m(exec, a, modes, {.coarsest_rows = 60},
                   {.num_subdivisions = 5, .num_resident = 0, .copy_always = true});
  const std::uint64_t matrix = std::uint64_t(a.num_values()) * sizeof(double);
  // Smoothing from zero takes one product, the residual one, and the second smoothing two.
  EXPECT_GE(m.sent_bytes(), 4 * matrix);
  EXPECT_LE(m.sent_bytes(), 6 * matrix);
  EXPECT_THAT(m.explain(), HasSubstr("level 0 is streamed: 4 products a cycle send "));
  EXPECT_THAT(m.explain(), HasSubstr("of device memory are planned beside the matrix"));
  const std::string of_resident = Amg(exec, beam.a, beam.modes, {.coarsest_rows = 60}).explain();
  EXPECT_THAT(m.explain(), HasSubstr(of_resident)) << "the same levels";
  EXPECT_GT(m.traffic_bytes(), 4 * std::int64_t(matrix));
}

/// The least limit that is named is enough, and is kept to.
TEST_P(StreamedAmgOf, KeepsToAMemoryLimit) {
  const Exec exec;
  const auto with = [&](std::uint64_t limit) {
    return Streamed(exec, a, modes, {.coarsest_rows = 60}, {.device_memory_limit = limit, .copy_always = true});
  };
  std::uint64_t least = 0;
  try {
    with(1000);
    FAIL() << "a thousand bytes are enough";
  } catch (const MemoryError& error) {
    EXPECT_THAT(error.what(), HasSubstr("coarse levels need"));
    EXPECT_THAT(error.what(), HasSubstr("the limit is 1000 bytes); raise the limit to that, or take block-Jacobi"));
    least = error.needed();
  }
  const Streamed m = with(least + least / 8);
  EXPECT_GT(m.device_bytes(), 0u);
  EXPECT_LE(m.device_bytes() + m.product().estimate().device_bytes(), least + least / 8);
  EXPECT_EQ(solve(m.product(), m, beam.load).report.status, SolveStatus::converged);
}

/// With new values, too. (On a CPU, set-up of the first coarse level takes the same memory.)
TEST_P(StreamedAmgOf, HoldsNoMoreThanPlanned) {
  if (!is_gpu_v<Exec>) GTEST_SKIP() << "host and device are one memory";
  const Exec exec;
  exec.fence();
  const HeldBytes held(Space::name());
  const Streamed m(exec, a, modes, {.coarsest_rows = 60}, {.num_subdivisions = 3, .copy_always = true});
  m.update_values(exec);
  exec.fence();
  EXPECT_LE(std::uint64_t(held.most()), m.device_bytes() + m.product().estimate().device_bytes());
}

/// Set-up waits for its own instances alone.
TEST_P(StreamedAmgOf, MakesNoGlobalFence) {
  const Exec exec;
  exec.fence();
  const Watcher watcher;
  const Streamed m(exec, a, modes, {.coarsest_rows = 60}, {.num_subdivisions = 3, .copy_always = true});
  m.update_values(exec);
  for (const Happening& seen : watcher.seen()) {
    const bool is_global = seen.kind == Happening::Kind::fence && impl::is_global_fence(seen.device_id);
    EXPECT_FALSE(is_global && !impl::is_memory_fence(seen.label)) << seen.label;
  }
}

/// A chain of springs along x, clamped at its first node, and a last node that is not coupled.
struct ChainAndANode {
  int nodes;

  KOKKOS_FUNCTION int operator()(std::int32_t i) const { return i == nodes - 1 ? 1 : 1 + (i > 0) + (i < nodes - 2); }
  template <class Row>
  KOKKOS_FUNCTION void operator()(std::int32_t i, const Row& row) const {
    int k = 0;
    for (std::int32_t j = i - 1; j <= i + 1; ++j) {
      const bool is_coupled = i < nodes - 1 && j >= 0 && j < nodes - 1;
      if (i != j && !is_coupled) continue;
      row.column(k) = j;
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
          const double spring = r == 0 ? 1 : 0.5, own = i == nodes - 2 ? spring : 2 * spring;
          row.value(k, r, c) = r != c ? 0 : i == j ? own : -spring;
        }
      }
      ++k;
    }
  }
};

/// Nodes on a line have no rotation about it, and a node beside the line gives them one: then the modes are
/// independent, and on the aggregates, which the last node does not belong to, they are not.
TEST(StreamedAmg, TakesModesThatDependOnCoarseLevelsAlone) {
  const Exec exec;
  const int nodes = 60;
  const ChainAndANode rows{nodes};
  const auto chain = build_by_rows<Matrix>(exec, 3, nodes, nodes, rows, rows);
  std::vector<double> points(std::size_t(3 * nodes), 0);
  for (int i = 0; i + 1 < nodes; ++i) points[std::size_t(3 * i)] = i;
  points[std::size_t(3 * nodes - 2)] = 7;
  const auto modes = amg::rigid_body_modes<Space>(exec, to_device<Space>(points), 3, 3);
  exec.fence();
  const amg::Options options{.coarsest_rows = 12};
  const Amg resident(exec, chain, modes, options);
  ASSERT_GE(resident.hierarchy().levels().size(), 3u);
  const Streamed m(exec, on_host(chain), on_host(modes), options);
  expect_same_application(m, resident, chain.num_rows());
  m.update_values(exec);
  expect_same_application(m, resident, chain.num_rows());
}

/// Levels in messages are counted from the finest, and name no rows of the coarse ones.
TEST(StreamedAmg, NamesTheLevelThatFails) {
  const Exec exec;
  // 1.2 on the diagonal and -1 beside it: fine on nodes, and negative on sums over aggregates.
  const auto chain = laplacian_1d(300);
  const auto values = Kokkos::create_mirror_view(chain.values());
  Kokkos::deep_copy(values, chain.values());
  for (std::size_t k = 0; k < values.extent(0); ++k) values(k) = values(k) > 0 ? 1.2 : values(k);
  Kokkos::deep_copy(chain.values(), values);
  const auto modes = amg::constant_modes<Space>(exec, 300, 1);
  exec.fence();
  const amg::Options options{.coarsest_rows = 10};
  const std::string of_resident = message_of<NumericalError>([&] { Amg(exec, chain, modes, options); });
  EXPECT_THAT(of_resident, HasSubstr("amg: level 1: "));
  try {
    Streamed(exec, on_host(chain), on_host(modes), options);
    ADD_FAILURE() << "nothing thrown";
  } catch (const NumericalError& error) {
    EXPECT_EQ(error.what(), of_resident);
    EXPECT_EQ(error.row(), -1);
  }
}

TEST(StreamedAmg, NamesTheProblem) {
  const Exec exec;
  const Beam beam({7, 5, 5});
  const auto a = on_host(beam.a);
  const auto modes = on_host(beam.modes);
  EXPECT_THAT(
      message_of<ArgumentError>([&] { Streamed(exec, a, modes, {.smoother = amg::SmootherKind::gauss_seidel}); }),
      HasSubstr("chebyshev or l1-jacobi"));
  EXPECT_THAT(message_of<ArgumentError>([&] { Streamed(exec, a, modes, {.coarsest_rows = 0}); }),
              HasSubstr("coarsest_rows"));
  const Streamed strong(exec, a, modes, {.strength = 0.1});
  EXPECT_THAT(message_of<ArgumentError>([&] { strong.update_values(exec); }), HasSubstr("strength 0.1"));
  const Streamed::Modes short_modes("modes", modes.extent(0) - 1, modes.extent(1));
  EXPECT_THAT(message_of<ShapeError>([&] { Streamed(exec, a, short_modes); }), HasSubstr("near-null space"));
  const Streamed::Modes zero("modes", modes.extent(0), modes.extent(1));
  EXPECT_THAT(message_of<NumericalError>([&] { Streamed(exec, a, zero); }), HasSubstr("mode 0 is 0"));
  for (std::int64_t k = 0; k < a.num_values(); ++k) a.values()(k) = -a.values()(k);
  EXPECT_THAT(message_of<NumericalError>([&] { Streamed(exec, a, modes); }), HasSubstr("not positive definite"));
}

}  // namespace
}  // namespace ashlar::testing
