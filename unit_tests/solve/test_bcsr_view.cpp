// Solving with a caller's blocks: both orders of values, index types, new values, refusals.
#include <gmock/gmock.h>

#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/solve/linear_solver.hpp>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "solve/arrays.hpp"
#include "support/compare.hpp"
#include "support/message.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;

constexpr int num_rows = 40;

/// Entry (r, c) of block (i, j) of a block tridiagonal matrix: no block is symmetric.
double entry(int i, int j, int r, int c, int size, double shift) {
  return std::sin(1.0 + shift + 3 * i + 5 * j + 7 * r + 11 * c) + (i == j && r == c ? 4.0 * size : 0.0);
}

/// The matrix as CSR.
Arrays<std::int32_t, std::int32_t, double> as_csr(int size, double shift) {
  Arrays<std::int32_t, std::int32_t, double> a;
  for (int i = 0; i < num_rows; ++i) {
    for (int r = 0; r < size; ++r) {
      for (int j = std::max(0, i - 1); j <= std::min(num_rows - 1, i + 1); ++j) {
        for (int c = 0; c < size; ++c) {
          a.col_idx.push_back(j * size + c);
          a.values.push_back(entry(i, j, r, c, size, shift));
        }
      }
      a.row_ptr.push_back(static_cast<int>(a.values.size()));
    }
  }
  return a;
}

template <class Offset, class Ordinal, class Scalar>
struct Blocks {
  int size;
  BlockLayout layout;
  std::vector<Offset> row_ptr{0};
  std::vector<Ordinal> col_idx = {};
  std::vector<Scalar> values = {};

  BcsrView<Offset, Ordinal, Scalar> view() const { return {size, row_ptr, col_idx, values, layout}; }
};

/// The matrix as blocks. `tangled`: backwards in each row, and each block in two parts.
template <class Offset = std::int32_t, class Ordinal = std::int32_t, class Scalar = double>
Blocks<Offset, Ordinal, Scalar> as_blocks(int size, double shift, BlockLayout layout, bool tangled = false) {
  Blocks<Offset, Ordinal, Scalar> a{size, layout};
  const std::vector<double> parts = tangled ? std::vector<double>{0.25, 0.75} : std::vector<double>{1};
  for (int i = 0; i < num_rows; ++i) {
    for (int step = -1; step <= 1; ++step) {
      const int j = tangled ? i - step : i + step;
      if (j < 0 || j >= num_rows) continue;
      for (const double part : parts) {
        a.col_idx.push_back(static_cast<Ordinal>(j));
        for (int k = 0; k < size * size; ++k) {
          const bool by_rows = layout == BlockLayout::row_major;
          const int r = by_rows ? k / size : k % size, c = by_rows ? k % size : k / size;
          a.values.push_back(static_cast<Scalar>(part * entry(i, j, r, c, size, shift)));
        }
      }
    }
    a.row_ptr.push_back(static_cast<Offset>(a.col_idx.size()));
  }
  return a;
}

/// The solution is that of the same matrix as CSR.
template <class Scalar>
void expect_solution(LinearSolver<Scalar>& solver, int size, double shift, double tolerance) {
  const auto exact = wave(num_rows * size);
  const auto b = as_csr(size, shift).times(exact);
  const std::vector<Scalar> right_hand_side(b.begin(), b.end());
  std::vector<Scalar> x(b.size());
  const auto report = solver.solve(right_hand_side, x);
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_EQ(report.block_size, size);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(double(x[i]), exact[i], tolerance) << i;
}

template <class Offset, class Ordinal, class Scalar>
void expect_solved(double rtol, double tolerance) {
  for (const int size : {1, 3}) {
    for (const BlockLayout layout : {BlockLayout::row_major, BlockLayout::column_major}) {
      for (const bool tangled : {false, true}) {
        const auto before = as_blocks<Offset, Ordinal, Scalar>(size, 0, layout, tangled);
        const auto after = as_blocks<Offset, Ordinal, Scalar>(size, 0.4, layout, tangled);
        LinearSolver solver(before.view(), {.rtol = rtol, .block_size = size});
        expect_solution(solver, size, 0, tolerance);
        solver.update_values(after.values);
        expect_solution(solver, size, 0.4, tolerance);
      }
    }
  }
}

TEST(BcsrView, SolvesInBothOrdersAndAllTypes) {
  expect_solved<std::int32_t, std::int32_t, double>(1e-10, 1e-7);
  expect_solved<std::int64_t, std::int32_t, double>(1e-10, 1e-7);
  expect_solved<std::int64_t, std::int64_t, float>(1e-5, 1e-3);
}

TEST(BcsrView, SolvesOnce) {
  const auto a = as_blocks(3, 0, BlockLayout::row_major);
  const auto exact = wave(3 * num_rows);
  const auto b = as_csr(3, 0).times(exact);
  std::vector<double> x(b.size());
  EXPECT_EQ(solve(a.view(), b, x, {.rtol = 1e-10}).status, SolveStatus::converged);
  EXPECT_LE(max_difference(x, exact), 1e-7);
  const BcsrView of_spans{3, std::span(a.row_ptr), std::span(a.col_idx), std::span(a.values), a.layout};
  EXPECT_EQ(solve(of_spans, b, x, {.rtol = 1e-8}).iterations, 0);
}

TEST(BcsrView, RefusesArraysThatAreNoMatrix) {
  const auto good = as_blocks(3, 0, BlockLayout::row_major);
  const auto refusal = [](const auto& a, const LinearSolveOptions& options = {}) {
    return [&a, options] { LinearSolver(a.view(), options); };
  };
  auto bad = good;
  bad.values.pop_back();
  EXPECT_THAT(message_of<ShapeError>(refusal(bad)), HasSubstr("118 column indices and 1061 values"));
  bad = good;
  bad.col_idx[5] = num_rows;
  EXPECT_THAT(message_of<StructureError>(refusal(bad)), HasSubstr("block row 2 has a block in block column 40"));
  bad = good;
  bad.row_ptr.back() = 117;
  EXPECT_THAT(message_of<StructureError>(refusal(bad)), HasSubstr("number of blocks, which is 118"));
  bad = good;
  bad.size = 0;
  EXPECT_THAT(message_of<BlockSizeError>(refusal(bad)), HasSubstr("blocks of size 0"));
  EXPECT_THAT(message_of<BlockSizeError>(refusal(good, {.block_size = 2})), HasSubstr("passed in blocks of size 3"));
}

}  // namespace
}  // namespace ashlar::testing
