// Singular systems: what a null space removes, and that solvers then find the least solution.
#include <gmock/gmock.h>

#include <ashlar/base/error.hpp>
#include <ashlar/krylov/bicgstab.hpp>
#include <ashlar/krylov/gmres.hpp>
#include <ashlar/krylov/minres.hpp>
#include <ashlar/krylov/null_space.hpp>
#include <ashlar/krylov/single_reduction_cg.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "krylov/systems.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;

/// A ring without ends, of unknowns of `components` kinds that do not see each other: constants of each kind go to 0.
struct Rings {
  int n, components;
  KOKKOS_FUNCTION int operator()(std::int32_t) const { return 3; }
  template <class Row>
  KOKKOS_FUNCTION void operator()(std::int32_t i, const Row& row) const {
    const int before = (i + n - components) % n, after = (i + components) % n;
    const int lowest = i < before ? (i < after ? i : after) : (before < after ? before : after);
    const int highest = i > before ? (i > after ? i : after) : (before > after ? before : after);
    const int columns[] = {lowest, i + before + after - lowest - highest, highest};
    for (int k = 0; k < 3; ++k) {
      row.column(k) = columns[k];
      row.value(k, 0, 0) = columns[k] == i ? 2.0 : -1.0;
    }
  }
};

template <class S>
class NullSpaces : public ::testing::Test {
 protected:
  using Null = NullSpace<S, Exec, LocalSpace>;
  using Vector = Kokkos::View<S*, Space>;
  const Exec exec;

  static BcsrMatrix<S> rings(int n, int components) {
    const Rings work{n, components};
    return build_by_rows<BcsrMatrix<S>>(Exec(), 1, n, n, work, work);
  }
  Null constants(int n, int components) const {
    return Null(exec, LocalSpace(n), constant_vectors<S>(exec, n, components));
  }
  /// The mean over the entries of each kind.
  static std::vector<S> means(const std::vector<S>& x, int components) {
    std::vector<S> sums(components);
    for (std::size_t i = 0; i < x.size(); ++i) sums[i % components] += x[i];
    for (S& sum : sums) sum /= real_t<S>(double(x.size()) / components);
    return sums;
  }
};

using Types = ::testing::Types<float, double, Kokkos::complex<double>>;
TYPED_TEST_SUITE(NullSpaces, Types);

TYPED_TEST(NullSpaces, RemoveTheirVectorsAndNothingElse) {
  using S = TypeParam;
  constexpr int n = 6000;
  const double eps = std::numeric_limits<real_t<S>>::epsilon();
  for (const int components : {1, 3}) {
    const auto null_space = this->constants(n, components);
    const std::vector<S> before = random_vector<S>(n, 5);
    const auto w = to_device<Space>(before);
    EXPECT_GT(null_space.share_of(this->exec, w), 1e-4);
    null_space.remove(this->exec, w);
    const std::vector<S> after = to_host(w), means = this->means(before, components);
    for (int i = 0; i < n; ++i) ASSERT_LE(Kokkos::abs(after[i] - (before[i] - means[i % components])), 20 * eps) << i;
    EXPECT_LE(null_space.share_of(this->exec, w), 10 * eps);
  }
}

TYPED_TEST(NullSpaces, LetSolversFindTheLeastSolution) {
  using S = TypeParam;
  constexpr int n = 240;
  const double rtol = sizeof(real_t<S>) == 4 ? 1e-4 : 1e-10;
  for (const int components : {1, 2}) {
    const auto matrix = this->rings(n, components);
    const BcsrOperator<BcsrMatrix<S>> a(this->exec, matrix);
    const auto null_space = this->constants(n, components);
    const ProjectedOperator projected(a, null_space);
    EXPECT_THAT(projected.explain(), HasSubstr(components == 1 ? "1 dimension is" : "2 dimensions is"));
    const JacobiPreconditioner<BcsrMatrix<S>> m(this->exec, matrix);
    // b has a part that no x gives.
    const auto b = to_device<Space>(random_vector<S>(n, 9));
    null_space.remove(this->exec, b);
    for (int solver = 0; solver < 5; ++solver) {
      SCOPED_TRACE(solver);
      const Kokkos::View<S*, Space> x("x", n), r("r", n);
      const SolverOptions common{.rtol = rtol};
      CgOptions of_cg;
      of_cg.rtol = rtol;
      const SolveReport report = solver == 0   ? cg(this->exec, projected, m, b, x, of_cg)
                                 : solver == 1 ? single_reduction_cg(this->exec, projected, m, b, x, of_cg)
                                 : solver == 2 ? minres(this->exec, projected, m, b, x, common)
                                 : solver == 3 ? gmres(this->exec, projected, m, b, x, {.rtol = rtol, .restart = 130})
                                               : bicgstab(this->exec, projected, m, b, x, common);
      EXPECT_EQ(report.status, SolveStatus::converged);
      null_space.remove(this->exec, x);
      // A x = b by the matrix itself, and x has no part that A does not see.
      a.apply(this->exec, x, r);
      const auto found = to_host(r), wanted = to_host(b);
      double squares = 0, of_b = 0;
      for (int i = 0; i < n; ++i) {
        squares += std::pow(Kokkos::abs(found[i] - wanted[i]), 2);
        of_b += std::pow(Kokkos::abs(wanted[i]), 2);
      }
      EXPECT_LE(std::sqrt(squares / of_b), 10 * rtol);
      for (const S& mean : this->means(to_host(x), components)) EXPECT_LE(Kokkos::abs(mean), 100 * rtol);
    }
  }
}

using NullSpacesOfDoubles = NullSpaces<double>;

TEST_F(NullSpacesOfDoubles, TakeVectorsThatAreNotOrthogonal) {
  constexpr int n = 50;
  const Null::Vectors vectors("vectors", n, 2);
  const auto here = Kokkos::create_mirror_view(vectors);
  for (int i = 0; i < n; ++i) {
    here(i, 0) = 3;
    here(i, 1) = 1 + 1e-3 * i;
  }
  Kokkos::deep_copy(vectors, here);
  const Null null_space(exec, LocalSpace(n), vectors);
  std::vector<double> w(n);
  for (int i = 0; i < n; ++i) w[i] = 7 - 2.0 * i;
  const auto there = to_device<Space>(w);
  EXPECT_NEAR(null_space.share_of(exec, there), 1, 1e-12);
  null_space.remove(exec, there);
  for (const double entry : to_host(there)) EXPECT_NEAR(entry, 0, 1e-9);
}

template <class Fault>
std::string refusal(const NullSpace<double, Exec, LocalSpace>::Vectors& vectors, int rows) {
  try {
    NullSpace<double, Exec, LocalSpace>(Exec(), LocalSpace(rows), vectors);
  } catch (const Fault& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing is thrown";
  return "";
}

TEST_F(NullSpacesOfDoubles, RefuseVectorsThatSpanNothing) {
  const Null::Vectors two("two", 10, 2), none("none", 10, 0);
  EXPECT_THAT(refusal<ArgumentError>(two, 10), HasSubstr("vector 0"));
  Kokkos::deep_copy(two, 1.0);
  EXPECT_THAT(refusal<ArgumentError>(two, 10), HasSubstr("depends on the vectors before it"));
  EXPECT_THAT(refusal<ShapeError>(two, 11), HasSubstr("10 x 2"));
  EXPECT_THAT(refusal<ShapeError>(none, 10), HasSubstr("10 x 0"));
}

}  // namespace
}  // namespace ashlar::testing
