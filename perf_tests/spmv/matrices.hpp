#pragma once

#include <algorithm>
#include <ashlar/bcsr/build_by_rows.hpp>
#include <ashlar/host/memory.hpp>
#include <ashlar/problems/grid27.hpp>
#include <cmath>
#include <cstdint>
#include <support/types.hpp>

namespace ashlar::perf {

/// Points a side of a 27-point grid whose matrix of doubles fills about `bytes`.
inline int side_for(double bytes, int b) {
  const double blocks = bytes / (8.0 * b * b + 4);
  return std::max(3, static_cast<int>(std::lround(std::cbrt(blocks / 27))));
}

/// A number in [0, 1) that depends on i and `which`.
KOKKOS_INLINE_FUNCTION double random_number(std::int64_t i, std::uint64_t which) {
  return double(problems::impl::mixed(std::uint64_t(i) * 64 + which) >> 11) / double(std::uint64_t(1) << 53);
}

/// Fills a block row's values with numbers of size up to 1.
template <class Row>
KOKKOS_INLINE_FUNCTION void fill_values(std::int64_t i, const Row& row) {
  const int b = row.block_size();
  for (int k = 0; k < row.num_blocks(); ++k) {
    for (int c = 0; c < b; ++c) {
      for (int r = 0; r < b; ++r) row.value(k, r, c) = 0.5 + 0.5 * random_number(i + k, 2 + (r * 8 + c) % 60);
    }
  }
}

/// A stand-in for a finite-element matrix: rows of `average` blocks, give or take half, in runs of three neighbouring
/// columns spread over a band around the diagonal.
struct Banded {
  std::int64_t num_rows;
  double average;
  std::int64_t half_band;

  KOKKOS_FUNCTION int operator()(std::int32_t i) const {
    return static_cast<int>(average * (0.5 + random_number(i, 0)) + 0.5);
  }

  template <class Row>
  KOKKOS_FUNCTION void operator()(std::int32_t i, const Row& row) const {
    const int n = row.num_blocks();
    const std::int64_t runs = (n + 2) / 3, band = 2 * half_band < num_rows ? 2 * half_band : num_rows;
    const std::int64_t gap = band / runs > 3 ? band / runs : 3, width = gap * (runs - 1) + 3;
    std::int64_t first = i - width / 2;
    first = first < 0 ? 0 : first + width > num_rows ? num_rows - width : first;
    for (int k = 0; k < n; ++k) row.column(k) = static_cast<std::int32_t>(first + k / 3 * gap + k % 3);
    fill_values(i, row);
  }
};

/// Row lengths by a power law, P(length) ~ length^-2, from 1 to `longest` blocks, whose columns are spread over the
/// whole matrix: no locality to count on.
struct PowerLaw {
  std::int64_t num_rows;
  int longest = 10'000;

  KOKKOS_FUNCTION int operator()(std::int32_t i) const {
    const double length = 1 / (1 - random_number(i, 0) * (1 - 1.0 / longest));
    return static_cast<int>(length < longest ? length : longest);
  }

  template <class Row>
  KOKKOS_FUNCTION void operator()(std::int32_t i, const Row& row) const {
    const int n = row.num_blocks();
    const double stride = double(num_rows) / n;
    for (int k = 0; k < n; ++k) {
      const double from = k * stride, column = from + random_number(std::int64_t(i) * 31 + k, 1) * (stride - 1);
      row.column(k) = static_cast<std::int32_t>(column > from ? column : from);
    }
    fill_values(i, row);
  }
};

/// The same matrix with its blocks stored by rows.
inline RowMajorMatrix by_rows(const Exec& exec, const Matrix& a) {
  const int b = a.block_size();
  const auto from = a.values();
  const RowMajorMatrix::values_view to(Kokkos::view_alloc(Kokkos::WithoutInitializing, "perf::by_rows"),
                                       from.extent(0));
  ask_for_huge_pages(to);
  Kokkos::parallel_for(
      "perf::by_rows", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, from.extent(0)),
      KOKKOS_LAMBDA(std::int64_t i) {
        const std::int64_t block = i / (b * b), place = i % (b * b);
        to(i) = from(block * b * b + place % b * b + place / b);
      });
  exec.fence("perf::by_rows");
  return RowMajorMatrix(b, a.graph(), to);
}

/// The same matrix by scalar rows, every entry of every block.
struct Csr {
  Kokkos::View<int*, Space> row_ptr, col_idx;
  Vector<double> values;
};

inline Csr by_entries(const Exec& exec, const Matrix& a) {
  const int b = a.block_size();
  const auto row_ptr = a.graph().row_ptr();
  const auto col_idx = a.graph().col_idx();
  const auto from = a.values();
  const Csr csr{
      Kokkos::View<int*, Space>("perf::csr::row_ptr", std::size_t(a.num_rows()) + 1),
      Kokkos::View<int*, Space>(Kokkos::view_alloc(Kokkos::WithoutInitializing, "perf::csr::col_idx"), from.extent(0)),
      Vector<double>(Kokkos::view_alloc(Kokkos::WithoutInitializing, "perf::csr::values"), from.extent(0))};
  ask_for_huge_pages(csr.col_idx);
  ask_for_huge_pages(csr.values);
  Kokkos::parallel_for(
      "perf::by_entries", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, a.num_rows()),
      KOKKOS_LAMBDA(std::int64_t row) {
        const std::int64_t i = row / b, r = row % b;
        const std::int64_t begin = row_ptr(i), end = row_ptr(i + 1);
        std::int64_t next = begin * b * b + r * (end - begin) * b;
        csr.row_ptr(row) = static_cast<int>(next);
        if (row + 1 == std::int64_t(csr.row_ptr.extent(0)) - 1) csr.row_ptr(row + 1) = static_cast<int>(end * b * b);
        for (std::int64_t k = begin; k < end; ++k) {
          for (int c = 0; c < b; ++c, ++next) {
            csr.col_idx(next) = col_idx(k) * b + c;
            csr.values(next) = from(k * b * b + c * b + r);
          }
        }
      });
  exec.fence("perf::by_entries");
  return csr;
}

}  // namespace ashlar::perf
