#pragma once

#include <gtest/gtest.h>

#include <ashlar/distributed/matrix.hpp>
#include <ashlar/distributed/products.hpp>
#include <ashlar/reference/spmv.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "distributed/rank_parts.hpp"

// Distributed matrices of any shape, and the checks of their products against the serial ones: on ranks of any kind.

namespace ashlar::testing {

template <class Scalar>
using HostMatrixOf = typename BcsrMatrix<Scalar>::template in_space<Kokkos::HostSpace>;

/// A matrix on the host, and who has which rows and columns.
template <class Scalar>
struct MatrixCase {
  std::string name;
  HostMatrixOf<Scalar> whole;
  RowPartition row_map, column_map;
};

/// The first rank has all of `count`; or the last one.
inline RowPartition all_on(int rank, std::int64_t count, int ranks) {
  std::vector<std::int64_t> counts(ranks, 0);
  counts[rank] = count;
  return sizes(counts);
}

template <class Scalar>
std::vector<MatrixCase<Scalar>> matrix_cases(int ranks) {
  const auto random = [](std::int64_t rows, std::int64_t cols, BlockShape shape, std::uint64_t seed) {
    return reference::random_bcsr<BcsrMatrix<Scalar>>(
        rows, cols, shape, {.min_blocks = 1, .max_blocks = 6, .empty_every = 5, .full_row = 3}, seed);
  };
  std::vector<MatrixCase<Scalar>> cases;
  cases.push_back({"square", random(37, 37, 3, 1), RowPartition::even(37, ranks), RowPartition::even(37, ranks)});
  cases.push_back({"wide, blocks of 2 x 3", random(19, 41, {2, 3}, 2), RowPartition::even(19, ranks),
                   RowPartition::even(41, ranks)});
  cases.push_back(
      {"high, blocks of 3 x 1", random(41, 9, {3, 1}, 3), RowPartition::even(41, ranks), RowPartition::even(9, ranks)});
  cases.push_back({"rows on the last rank, columns on the first", random(23, 17, {2, 4}, 4),
                   all_on(ranks - 1, 23, ranks), all_on(0, 17, ranks)});
  cases.push_back(
      {"square with unlike maps", random(20, 20, 2, 5), RowPartition::even(20, ranks), all_on(ranks - 1, 20, ranks)});
  cases.push_back(
      {"no blocks",
       reference::random_bcsr<BcsrMatrix<Scalar>>(8, 6, {2, 1}, [](std::int64_t) { return std::int64_t(0); }),
       RowPartition::even(8, ranks), RowPartition::even(6, ranks)});
  cases.push_back(
      {"no rows",
       reference::random_bcsr<BcsrMatrix<Scalar>>(0, 6, {2, 1}, [](std::int64_t) { return std::int64_t(0); }),
       RowPartition::even(0, ranks), RowPartition::even(6, ranks)});
  return cases;
}

/// A group of ranks that matrices share.
inline std::shared_ptr<const Communicator> shared(const Communicator& comm) {
  return std::make_shared<const Communicator>(comm.duplicate());
}

/// The matrix of a case, of which this rank takes its rows.
template <class Scalar>
auto distributed(const Exec& exec, std::shared_ptr<const Communicator> comm, const MatrixCase<Scalar>& test,
                 const DistributedMatrixOptions& options = {}) {
  const int rank = comm->rank();
  return DistributedMatrix<BcsrMatrix<Scalar>>(exec, std::move(comm), test.row_map, test.column_map,
                                               rows_of(test.whole, test.row_map.begin(rank), test.row_map.end(rank)),
                                               options);
}

template <class Scalar>
double tolerance() {
  return 2e3 * std::numeric_limits<real_t<Scalar>>::epsilon();
}

/// Vectors of this rank's part, in a view of rank 1 or 2.
template <class View, class Scalar>
View part_on_device(const std::vector<std::vector<Scalar>>& whole, const RowPartition& map, int rank, int block) {
  const std::int64_t rows = map.size(rank) * block, first = map.begin(rank) * block;
  View view;
  if constexpr (View::rank() == 1) {
    view = View("test::part", rows);
  } else {
    view = View("test::part", rows, whole.size());
  }
  const auto host = Kokkos::create_mirror_view(view);
  for (std::size_t j = 0; j < whole.size(); ++j) {
    for (std::int64_t i = 0; i < rows; ++i) {
      if constexpr (View::rank() == 1) {
        host(i) = whole[j][first + i];
      } else {
        host(i, j) = whole[j][first + i];
      }
    }
  }
  Kokkos::deep_copy(view, host);
  return view;
}

template <class View, class Scalar>
void expect_part(const View& view, const std::vector<std::vector<Scalar>>& whole, const RowPartition& map, int rank,
                 int block, const std::string& what) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  for (std::size_t j = 0; j < whole.size(); ++j) {
    std::vector<Scalar> column;
    for (std::size_t i = 0; i < host.extent(0); ++i) {
      if constexpr (View::rank() == 1) {
        column.push_back(host(i));
      } else {
        column.push_back(host(i, j));
      }
    }
    EXPECT_LE(max_difference(column, part_of(whole[j], map, rank, block)), tolerance<Scalar>())
        << what << ", vector " << j;
  }
}

/// A x, A^T x (and A^H x) with as many vectors as View has, twice each, with and without alpha and beta.
template <class View, class Scalar>
void expect_products_of(const Exec& exec, const DistributedMatrix<BcsrMatrix<Scalar>>& a,
                        ProductWorkspace<BcsrMatrix<Scalar>, Exec, Scalar>& workspace,
                        const HostMatrixOf<Scalar>& whole, int num_vectors) {
  const int rank = a.rank(), R = whole.block_shape().rows, C = whole.block_shape().cols;
  using Vectors = std::vector<std::vector<Scalar>>;
  Vectors x, z, ax, atz, ahz, ax_and_z;
  const Scalar alpha(2), beta(-0.5);
  for (int j = 0; j < num_vectors; ++j) {
    x.push_back(random_vector<Scalar>(whole.num_cols(), 10 + j));
    z.push_back(random_vector<Scalar>(whole.num_rows(), 20 + j));
    ax.emplace_back(whole.num_rows());
    reference::spmv(Scalar(1), whole, x[j], Scalar(0), ax[j]);
    ax_and_z.push_back(z[j]);
    reference::spmv(alpha, whole, x[j], beta, ax_and_z[j]);
    atz.emplace_back(whole.num_cols());
    reference::spmv_transpose(Scalar(1), whole, z[j], Scalar(0), atz[j]);
    ahz.emplace_back(whole.num_cols());
    auto conjugated = z[j];
    for (Scalar& entry : conjugated) entry = conj(entry);
    reference::spmv_transpose(Scalar(1), whole, conjugated, Scalar(0), ahz[j]);
    for (Scalar& entry : ahz[j]) entry = conj(entry);
  }
  const Scalar nan(std::numeric_limits<real_t<Scalar>>::quiet_NaN());
  const auto dx = part_on_device<View>(x, a.column_map(), rank, C);
  const auto dz = part_on_device<View>(z, a.row_map(), rank, R);
  for (int round = 0; round < 2; ++round) {
    const auto y = part_on_device<View>(ax, a.row_map(), rank, R),
               w = part_on_device<View>(atz, a.column_map(), rank, C);
    Kokkos::deep_copy(exec, y, nan);
    multiply(exec, a, workspace, dx, y);
    exec.fence();
    expect_part(y, ax, a.row_map(), rank, R, "A x");
    Kokkos::deep_copy(exec, w, nan);
    multiply_transpose(exec, a, workspace, dz, w);
    exec.fence();
    expect_part(w, atz, a.column_map(), rank, C, "A^T x");
    multiply_transpose(exec, a, workspace, dz, w, Mode::conjugate_transpose);
    exec.fence();
    expect_part(w, ahz, a.column_map(), rank, C, "A^H x");
    Kokkos::deep_copy(exec, y, dz);
    multiply(exec, a, workspace, alpha, dx, beta, y);
    exec.fence();
    expect_part(y, ax_and_z, a.row_map(), rank, R, "2 A x - y / 2");
    // w := 0.5 (A^H z) + 0 w and so on: of what is there.
    multiply_transpose(exec, a, workspace, Scalar(1), dz, Scalar(-1), w, Mode::conjugate_transpose);
    exec.fence();
    expect_part(w, Vectors(num_vectors, std::vector<Scalar>(whole.num_cols(), Scalar(0))), a.column_map(), rank, C,
                "A^H x - A^H x");
  }
}

/// Of one vector and of several, in both layouts.
template <class Scalar>
void expect_right_products(const Exec& exec, const DistributedMatrix<BcsrMatrix<Scalar>>& a,
                           const HostMatrixOf<Scalar>& whole, ExchangeMode mode = ExchangeMode::automatic) {
  ProductWorkspace<BcsrMatrix<Scalar>> workspace(exec, a, {.exchange = mode});
  expect_products_of<Kokkos::View<Scalar*, Space>>(exec, a, workspace, whole, 1);
  expect_products_of<Kokkos::View<Scalar**, Kokkos::LayoutLeft, Space>>(exec, a, workspace, whole, 3);
  expect_products_of<Kokkos::View<Scalar**, Kokkos::LayoutRight, Space>>(exec, a, workspace, whole, 2);
}

template <class Scalar>
void expect_right_products_of_all_kinds(const Communicator& comm, ExchangeMode mode = ExchangeMode::automatic) {
  const auto group = shared(comm);
  const Exec exec = instance_of_rank();
  for (const auto& test : matrix_cases<Scalar>(comm.size())) {
    for (const HaloForm form : {HaloForm::automatic, HaloForm::packed, HaloForm::contiguous, HaloForm::whole}) {
      SCOPED_TRACE(test.name + ", " + std::string(to_string(form)) + ", rank " + std::to_string(comm.rank()) + " of " +
                   std::to_string(comm.size()));
      DistributedMatrixOptions options;
      options.halo.form = form;
      const auto a = distributed(exec, group, test, options);
      EXPECT_EQ(a.num_global_rows(), test.whole.num_rows());
      EXPECT_EQ(a.num_global_cols(), test.whole.num_cols());
      EXPECT_EQ(a.num_global_blocks(), test.whole.num_blocks());
      expect_right_products(exec, a, test.whole, mode);
    }
  }
}

}  // namespace ashlar::testing
