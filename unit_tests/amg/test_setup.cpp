// The phases of set-up, each compared with its definition.
#include <gmock/gmock.h>

#include <ashlar/amg/lanczos.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/reference/spmv.hpp>
#include <cmath>
#include <set>

#include "amg/systems.hpp"
#include "krylov/systems.hpp"
#include "support/message.hpp"

namespace ashlar::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;

/// Aggregates cover all coupled nodes, each root's neighbours are in its aggregate, and no two roots are close.
TEST(AmgAggregates, CoverAllNodesOnce) {
  const Exec exec;
  const Beam beam({9, 8, 7});
  const auto strength = amg::strength_graph(exec, beam.a, 0);
  const auto aggregates = amg::aggregate(exec, strength);
  const auto of_node = to_host(aggregates.of_node);
  const auto row_ptr = to_host(strength.row_ptr);
  std::set<int> found;
  int alone = 0;
  for (std::size_t i = 0; i < of_node.size(); ++i) {
    if (row_ptr[i] == row_ptr[i + 1]) {
      EXPECT_EQ(of_node[i], -1);
      ++alone;
    } else {
      found.insert(of_node[i]);
    }
  }
  EXPECT_EQ(alone, 8 * 7) << "the clamped nodes are coupled to none";
  ASSERT_EQ(int(found.size()), aggregates.count);
  EXPECT_EQ(*found.begin(), 0);
  EXPECT_EQ(*found.rbegin(), aggregates.count - 1);
  // 448 nodes in cubes of 3^3, of which those at the surface are cut.
  EXPECT_GE(aggregates.count, 12);
  EXPECT_LE(aggregates.count, 40);
}

/// In a chain of nodes roots are three to five apart, and each node is with a root next to it or two away.
TEST(AmgAggregates, OfAChain) {
  const Exec exec;
  const auto aggregates = amg::aggregate(exec, amg::strength_graph(exec, laplacian_1d(1000), 0));
  const auto of_node = to_host(aggregates.of_node);
  EXPECT_GE(aggregates.count, 1000 / 5);
  EXPECT_LE(aggregates.count, 1000 / 3 + 1);
  EXPECT_THAT(of_node, Each(Ge(0)));
  std::vector<int> size(aggregates.count, 0);
  for (std::size_t i = 0; i < of_node.size(); ++i) {
    ++size[of_node[i]];
  }
  for (const int nodes : size) {
    EXPECT_GE(nodes, 2);
    EXPECT_LE(nodes, 5);
  }
}

/// In rounds on the device, on the host, or on both, the same nodes are roots: the first that a serial pass finds.
TEST(AmgAggregates, RootsAreThoseOfASerialPass) {
  const Exec exec;
  for (const Matrix& a : {Beam({9, 8, 7}).a, laplacian_1d(1000)}) {
    const auto strength = amg::strength_graph(exec, a, 0);
    const auto row_ptr = to_host(strength.row_ptr);
    const auto col_idx = to_host(strength.col_idx);
    std::vector<bool> is_taken(row_ptr.size() - 1, false), is_root(is_taken);
    for (std::size_t i = 0; i < is_root.size(); ++i) {
      bool is_free = row_ptr[i] < row_ptr[i + 1] && !is_taken[i];
      for (int k = row_ptr[i]; k < row_ptr[i + 1]; ++k) is_free = is_free && !is_taken[col_idx[k]];
      if (!is_free) continue;
      is_root[i] = is_taken[i] = true;
      for (int k = row_ptr[i]; k < row_ptr[i + 1]; ++k) is_taken[col_idx[k]] = true;
    }
    for (const int rounds : {0, 1, 3, 17, 1000000}) {
      const auto rank = to_host(amg::impl::choose_roots(exec, strength, rounds));
      for (std::size_t i = 0; i < is_root.size(); ++i) EXPECT_EQ(rank[i] == amg::impl::NodeRank::root, is_root[i]) << i;
    }
  }
}

/// A weak coupling neither joins nodes nor stays in the filtered matrix, whose row sums are the matrix's.
TEST(AmgStrength, LeavesOutWeakCouplings) {
  const Exec exec;
  using Host = Matrix::in_space<Kokkos::HostSpace>;
  // Three nodes in a row; the second coupling is a hundredth of the first.
  Kokkos::View<std::int32_t*, Kokkos::HostSpace> row_ptr("r", 4), col_idx("c", 7);
  Host::values_view values("v", 7);
  const int columns[] = {0, 1, 0, 1, 2, 1, 2}, rows[] = {0, 2, 5, 7};
  const double entries[] = {2, -1, -1, 1.5, -0.01, -0.01, 1};
  for (int k = 0; k < 7; ++k) col_idx(k) = columns[k], values(k) = entries[k];
  for (int i = 0; i < 4; ++i) row_ptr(i) = rows[i];
  const auto a = copy_to<Space>(exec, Host(1, {3, row_ptr, col_idx}, values));
  const auto strength = amg::strength_graph(exec, a, 0.1);
  EXPECT_THAT(to_host(strength.row_ptr), ElementsAre(0, 1, 2, 2));
  EXPECT_THAT(to_host(strength.col_idx), ElementsAre(1, 0));
  EXPECT_THAT(to_host(strength.weight), ElementsAre(1, 1));
  EXPECT_THAT(to_host(amg::aggregate(exec, strength).of_node), ElementsAre(0, 0, -1));
  const auto filtered = copy_to<Kokkos::HostSpace>(exec, amg::filtered_matrix(exec, a, 0.1));
  exec.fence();
  EXPECT_THAT(reference::dense(filtered), ElementsAre(2, -1, 0, -1, 1.49, 0, 0, 0, 0.99));
}

/// A block without its counterpart couples nobody, and one that is much smaller than its counterpart does.
TEST(AmgStrength, IsSymmetricForAnyMatrix) {
  const Exec exec;
  using Host = Matrix::in_space<Kokkos::HostSpace>;
  Kokkos::View<std::int32_t*, Kokkos::HostSpace> row_ptr("r", 4), col_idx("c", 6);
  Host::values_view values("v", 6);
  const int columns[] = {0, 1, 2, 0, 1, 2}, rows[] = {0, 3, 5, 6};  // (0, 2) has no counterpart
  const double entries[] = {2, -1, -1, 0, 2, 2};
  for (int k = 0; k < 6; ++k) col_idx(k) = columns[k], values(k) = entries[k];
  for (int i = 0; i < 4; ++i) row_ptr(i) = rows[i];
  const auto strength = amg::strength_graph(exec, copy_to<Space>(exec, Host(1, {3, row_ptr, col_idx}, values)), 0.1);
  EXPECT_THAT(to_host(strength.row_ptr), ElementsAre(0, 1, 2, 2));
  EXPECT_THAT(to_host(strength.col_idx), ElementsAre(1, 0));
}

/// P0 reproduces the modes on all nodes of aggregates, and its columns are orthonormal.
TEST(AmgTentative, ReproducesTheModes) {
  const Exec exec;
  const Beam beam({9, 8, 7});
  const auto aggregates = amg::aggregate(exec, amg::strength_graph(exec, beam.a, 0));
  const auto tentative = amg::tentative_prolongator<Matrix>(exec, aggregates, beam.modes, 3);
  const auto p = copy_to<Kokkos::HostSpace>(exec, tentative.prolongator);
  exec.fence();
  const auto dense = reference::dense(p);
  const auto coarse = entries(tentative.coarse_modes), fine = entries(beam.modes);
  const auto of_node = to_host(aggregates.of_node);
  const std::int64_t n = p.num_rows(), nc = p.num_cols();
  for (std::int64_t i = 0; i < n; ++i) {
    for (int k = 0; k < 6; ++k) {
      double sum = 0;
      for (std::int64_t j = 0; j < nc; ++j) sum += dense[i * nc + j] * coarse[j * 6 + k];
      EXPECT_NEAR(sum, of_node[i / 3] < 0 ? 0 : fine[i * 6 + k], 1e-13);
    }
  }
  for (std::int64_t j = 0; j < nc; ++j) {
    for (std::int64_t k = j; k < nc; ++k) {
      double sum = 0;
      for (std::int64_t i = 0; i < n; ++i) sum += dense[i * nc + j] * dense[i * nc + k];
      EXPECT_NEAR(sum, j == k ? 1 : 0, 1e-13) << j << " " << k;
    }
  }
}

/// A single node has three rows: of six modes three depend on the others there, and become zero.
TEST(AmgTentative, LeavesOutDependentModes) {
  const Exec exec;
  const auto points = to_device<Space>(std::vector<double>{1, 2, 3, 4, 5, 7});
  const auto modes = amg::rigid_body_modes<Space>(exec, points, 3, 3);
  const Kokkos::View<std::int32_t*, Space> of_node("of_node", 2);
  const auto host = Kokkos::create_mirror_view(of_node);
  host(0) = 0, host(1) = 1;
  Kokkos::deep_copy(of_node, host);
  const amg::Aggregates<Space> aggregates{of_node, 2};
  const auto tentative = amg::tentative_prolongator<Matrix>(exec, aggregates, modes, 3);
  const auto p = copy_to<Kokkos::HostSpace>(exec, tentative.prolongator);
  exec.fence();
  const auto dense = reference::dense(p);
  int zero_columns = 0;
  for (int j = 0; j < 12; ++j) {
    double sum = 0;
    for (int i = 0; i < 6; ++i) sum += dense[i * 12 + j] * dense[i * 12 + j];
    zero_columns += sum == 0;
    EXPECT_TRUE(sum == 0 || std::abs(sum - 1) < 1e-13);
  }
  EXPECT_EQ(zero_columns, 6);
}

/// A maps rigid-body modes to zero in all rows that are coupled to no clamped node.
TEST(AmgModes, RigidBodyModesAreInTheNullSpace) {
  const Exec exec;
  const Beam beam({6, 5, 4});
  const auto a = copy_to<Kokkos::HostSpace>(exec, beam.a);
  exec.fence();
  const auto dense = reference::dense(a);
  const auto modes = entries(beam.modes);
  const std::int64_t n = a.num_rows();
  double largest = 0, largest_mode = 0;
  for (std::int64_t i = 2 * 5 * 4 * 3; i < n; ++i) {
    for (int k = 0; k < 6; ++k) {
      double sum = 0;
      for (std::int64_t j = 0; j < n; ++j) sum += dense[i * n + j] * modes[j * 6 + k];
      largest = std::max(largest, std::abs(sum));
      largest_mode = std::max(largest_mode, std::abs(modes[i * 6 + k]));
    }
  }
  EXPECT_GT(largest_mode, 0.5);
  EXPECT_LE(largest, 1e-14);
}

TEST(AmgModes, InTwoDimensionsAndForTwoBodies) {
  const Exec exec;
  const auto points = to_device<Space>(std::vector<double>{0, 0, 2, 4});  // centre (1, 2)
  EXPECT_THAT(entries(amg::rigid_body_modes<Space>(exec, points, 2, 2)),
              ElementsAre(1, 0, 2, 0, 1, -1, 1, 0, -2, 0, 1, 1));
  const auto two = amg::rigid_body_modes<Space>(exec, points, 2, 4);
  EXPECT_EQ(two.extent(1), 6u);
  const auto of_two = entries(two);
  EXPECT_THAT(std::vector(of_two.begin() + 12, of_two.begin() + 18), ElementsAre(0, 0, 0, 1, 0, 2));
  EXPECT_THAT(message_of<ArgumentError>([&] { amg::rigid_body_modes<Space>(exec, points, 3, 4); }),
              HasSubstr("4 unknowns a node in 3 dimensions"));
  EXPECT_THAT(message_of<ShapeError>([&] { amg::rigid_body_modes<Space>(exec, points, 3, 3); }),
              HasSubstr("4 coordinates in 3 dimensions"));
  const auto bad = to_device<Space>(std::vector<double>{0, NAN, 0, 1});
  EXPECT_THAT(message_of<ArgumentError>([&] { amg::rigid_body_modes<Space>(exec, bad, 2, 2); }),
              HasSubstr("not finite"));
  const auto one = to_device<Space>(std::vector<double>{3, 4});
  EXPECT_THAT(message_of<ArgumentError>([&] { amg::rigid_body_modes<Space>(exec, one, 2, 2); }), HasSubstr("one node"));
}

/// The eigenvalues of the tridiagonal matrix of -1, 2, -1 over its diagonal are 1 - cos(k pi / (n+1)).
TEST(AmgLanczos, FindsTheLargestEigenvalue) {
  const Exec exec;
  const auto estimate = [&](const Matrix& a, int steps) {
    return amg::largest_eigenvalue(exec, amg::LevelMatrix<Matrix>(exec, a), BlockJacobiPreconditioner<Matrix>(exec, a),
                                   steps);
  };
  EXPECT_NEAR(estimate(laplacian_1d(10), 10), 1 + std::cos(M_PI / 11), 1e-12);
  const double rough = estimate(laplacian_1d(1000), 12);
  EXPECT_GE(rough, 1.9);
  EXPECT_LE(rough, 2);
  EXPECT_NEAR(estimate(block_diagonal<double>(7, 3, [](int i, int r, int c) { return r == c ? 1.0 + i : 0.1; }), 12), 1,
              1e-12);
}

/// In any units, and to rounding: a vector that is nearly another's multiple is no multiple.
TEST(AmgModes, DependentOnesAreFound) {
  const auto products = [](const std::vector<std::vector<double>>& vectors) {
    const std::size_t m = vectors.size();
    std::vector<double> all(m * m, 0);
    for (std::size_t k = 0; k < m; ++k) {
      for (std::size_t j = 0; j <= k; ++j) {
        for (std::size_t i = 0; i < vectors[k].size(); ++i) all[j + k * m] += vectors[j][i] * vectors[k][i];
      }
    }
    return all;
  };
  const auto first = [&](const std::vector<std::vector<double>>& vectors) {
    return amg::impl::first_dependent(products(vectors), int(vectors.size()));
  };
  EXPECT_EQ(first({{1, 2, 3}, {0, 1, 0}, {1, 0, 0}}), 3);
  EXPECT_EQ(first({{1, 2, 3}, {0, 1, 0}, {1e3, 3e3, 3e3}}), 2);
  EXPECT_EQ(first({{1, 2, 3}, {-2, -4, -6}, {1, 0, 0}}), 1);
  EXPECT_EQ(first({{1, 2, 3}, {1, 2, 3.0001}}), 2);
}

TEST(AmgCoarsest, InverseAndPseudoInverse) {
  const std::vector<double> spd{4, 1, 1, 3};
  const auto inverse = amg::inverse_of_dense(spd, 2);
  EXPECT_NEAR(inverse[0], 3.0 / 11, 1e-15);
  EXPECT_NEAR(inverse[1], -1.0 / 11, 1e-15);
  EXPECT_NEAR(inverse[3], 4.0 / 11, 1e-15);
  for (const double entry : amg::inverse_of_dense({1, -1, -1, 1}, 2)) EXPECT_NEAR(std::abs(entry), 0.25, 1e-15);
  // Symmetric and indefinite, of eigenvalues 3 and -1: the negative one counts as 0.
  for (const double entry : amg::inverse_of_dense({1, 2, 2, 1}, 2)) EXPECT_NEAR(entry, 1.0 / 6, 1e-15);
  // By columns: 2 3 / 1 4.
  const auto unsymmetric = amg::inverse_of_dense({2, 1, 3, 4}, 2);
  EXPECT_NEAR(unsymmetric[0], 0.8, 1e-15);
  EXPECT_NEAR(unsymmetric[1], -0.2, 1e-15);
  EXPECT_NEAR(unsymmetric[2], -0.6, 1e-15);
  EXPECT_NEAR(unsymmetric[3], 0.4, 1e-15);
  const auto pseudo = amg::inverse_of_dense({1, 0, 1, 0}, 2);  // 1 1 / 0 0
  EXPECT_NEAR(pseudo[0], 0.5, 1e-15);
  EXPECT_NEAR(pseudo[1], 0.5, 1e-15);
  EXPECT_NEAR(pseudo[2], 0, 1e-15);
  EXPECT_THAT(message_of<NumericalError>([] { amg::inverse_of_dense({NAN}, 1); }), HasSubstr("not finite"));
}

}  // namespace
}  // namespace ashlar::testing
