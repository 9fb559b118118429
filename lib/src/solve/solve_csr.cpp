#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/csr.hpp>
#include <ashlar/bcsr/from_csr.hpp>
#include <ashlar/solve/solve_matrix.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace ashlar {

namespace {

/// Row pointers and lengths, before anything is read through them.
template <class Offset, class Ordinal, class Scalar>
void check_arrays(const CsrView<Offset, Ordinal, Scalar>& a, std::size_t b, std::size_t x) {
  if (!Kokkos::is_initialized()) {
    throw Error("ashlar::solve: Kokkos is not initialised", "it runs the kernels",
                "put Kokkos::ScopeGuard kokkos(argc, argv); at the beginning of main()");
  }
  if (a.row_ptr.empty()) {
    throw ShapeError("ashlar::solve: row_ptr is empty", "it has one entry more than the matrix has rows",
                     "pass the row pointers of a CSR matrix");
  }
  const std::size_t n = a.row_ptr.size() - 1;
  if (a.col_idx.size() != a.values.size()) {
    throw ShapeError(text("ashlar::solve: ", a.col_idx.size(), " column indices and ", a.values.size(), " values"),
                     "each entry of the matrix has one of both", "pass arrays of one length");
  }
  if (a.row_ptr.front() != 0 || std::uint64_t(a.row_ptr.back()) != a.values.size()) {
    throw StructureError(text("ashlar::solve: row_ptr goes from ", a.row_ptr.front(), " to ", a.row_ptr.back()),
                         text("it goes from 0 to the number of entries, which is ", a.values.size()),
                         "pass row pointers that count from 0");
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (a.row_ptr[i] > a.row_ptr[i + 1]) {
      throw StructureError(
          text("ashlar::solve: row_ptr falls from ", a.row_ptr[i], " to ", a.row_ptr[i + 1], " in row ", i),
          "rows lie one behind the other", "correct row_ptr");
    }
  }
  if (b != n || x != n) {
    throw ShapeError(text("ashlar::solve: b has ", b, " entries and x has ", x), text("row_ptr tells of ", n, " rows"),
                     "pass vectors with an entry for each row");
  }
}

/// A copy with columns in ascending order, in which each place has one entry.
template <class Offset, class Ordinal, class Scalar>
CsrMatrix<Scalar> csr_of(const CsrView<Offset, Ordinal, Scalar>& a) {
  constexpr std::int64_t largest = std::numeric_limits<std::int32_t>::max();
  const auto n = static_cast<std::int64_t>(a.row_ptr.size()) - 1;
  if (n > largest) {
    throw ShapeError(text("ashlar::solve: ", n, " rows"), text("columns are stored in 32 bits, up to ", largest),
                     "build a BcsrMatrix with 64-bit indices, and call a solver such as gmres() with it");
  }
  bool is_sorted = true;
  for (std::int64_t i = 0; i < n; ++i) {
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      if (a.col_idx[k] < 0 || std::int64_t(a.col_idx[k]) >= n) {
        throw StructureError(text("ashlar::solve: row ", i, " has an entry in column ", a.col_idx[k]),
                             text("columns are counted from 0 to ", n - 1),
                             "subtract 1 if yours are counted from 1, as in Fortran");
      }
      is_sorted = is_sorted && (k == a.row_ptr[i] || a.col_idx[k - 1] < a.col_idx[k]);
    }
  }
  if (is_sorted) {
    return {n,
            n,
            {a.row_ptr.begin(), a.row_ptr.end()},
            {a.col_idx.begin(), a.col_idx.end()},
            {a.values.begin(), a.values.end()}};
  }
  CooMatrix<Scalar> coo{.num_rows = n, .num_cols = n, .rows = {}, .cols = {}, .values = {}};
  coo.cols.assign(a.col_idx.begin(), a.col_idx.end());
  coo.values.assign(a.values.begin(), a.values.end());
  coo.rows.resize(a.values.size());
  for (std::int64_t i = 0; i < n; ++i) {
    std::fill(coo.rows.begin() + a.row_ptr[i], coo.rows.begin() + a.row_ptr[i + 1], static_cast<std::int32_t>(i));
  }
  return csr_from_coo(coo);
}

}  // namespace

template <class Offset, class Ordinal, class Scalar>
requires impl::solves_csr<Offset, Ordinal, Scalar> LinearSolveReport
solve(const CsrView<Offset, Ordinal, Scalar>& a, std::span<const std::type_identity_t<Scalar>> b,
      std::span<std::type_identity_t<Scalar>> x, const LinearSolveOptions& options) {
  check_arrays(a, b.size(), x.size());
  if (options.block_size < 0) {
    throw ArgumentError(text("ashlar::solve: block_size ", options.block_size), "it counts unknowns a node",
                        "pass 0 to have it chosen");
  }
  const Kokkos::DefaultExecutionSpace exec;
  BcsrMatrix<Scalar> matrix;
  {
    const CsrMatrix<Scalar> csr = csr_of(a);
    const int block_size = options.block_size > 0 ? options.block_size : detect_block_size(csr);
    matrix = bcsr_from_csr<BcsrMatrix<Scalar>>(exec, csr, block_size);
  }
  using Here = Kokkos::View<Scalar*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  using ConstHere = Kokkos::View<const Scalar*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  const Kokkos::View<Scalar*> there_b("ashlar::solve::b", b.size()), there_x("ashlar::solve::x", x.size());
  Kokkos::deep_copy(exec, there_b, ConstHere(b.data(), b.size()));
  Kokkos::deep_copy(exec, there_x, Here(x.data(), x.size()));
  LinearSolveReport report = solve<Scalar>(exec, matrix, there_b, there_x, options);
  Kokkos::deep_copy(exec, Here(x.data(), x.size()), there_x);
  exec.fence("ashlar::solve: x is on the host");
  return report;
}

#define ASHLAR_SOLVE(Offset, Ordinal, Scalar)                                                        \
  template LinearSolveReport solve(const CsrView<Offset, Ordinal, Scalar>&, std::span<const Scalar>, \
                                   std::span<Scalar>, const LinearSolveOptions&);
ASHLAR_SOLVE(std::int32_t, std::int32_t, double)
ASHLAR_SOLVE(std::int64_t, std::int32_t, double)
ASHLAR_SOLVE(std::int64_t, std::int64_t, double)
ASHLAR_SOLVE(std::int32_t, std::int32_t, float)
ASHLAR_SOLVE(std::int64_t, std::int32_t, float)
ASHLAR_SOLVE(std::int64_t, std::int64_t, float)
#undef ASHLAR_SOLVE

}  // namespace ashlar
