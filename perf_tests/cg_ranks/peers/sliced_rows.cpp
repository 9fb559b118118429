#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <cg_ranks/peers/sliced_rows.hpp>
#include <cstdint>
#include <limits>

namespace ashlar::perf {

namespace {

using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
constexpr int size = SlicedRows::rows_of_slice;

/// Which slices have columns of other ranks.
Kokkos::View<int*, Space> find_outer(const Exec& exec, const LocalRows& rows, std::int64_t num_slices) {
  const Kokkos::View<int*, Space> outer("perf::outer", num_slices);
  const Csr csr = rows.csr;
  const std::int64_t num_rows = rows.num_rows;
  Kokkos::parallel_for(
      "perf::find_outer", Policy(exec, 0, num_rows), KOKKOS_LAMBDA(std::int64_t row) {
        for (int k = csr.row_ptr(row); k < csr.row_ptr(row + 1); ++k) {
          if (csr.col_idx(k) >= num_rows) Kokkos::atomic_store(&outer(row / size), 1);
        }
      });
  return outer;
}

void fill(const Exec& exec, const LocalRows& rows, const SlicedRows& sliced) {
  const Csr csr = rows.csr;
  const auto begins = sliced.begins, places = sliced.places, columns = sliced.columns;
  const auto values = sliced.values;
  const std::int64_t num_rows = rows.num_rows;
  Kokkos::parallel_for(
      "perf::fill_slices", Policy(exec, 0, num_rows), KOKKOS_LAMBDA(std::int64_t row) {
        const int place = places(row / size), end = begins(place + 1);
        int k = csr.row_ptr(row);
        for (int at = begins(place) + static_cast<int>(row % size); at < end; at += size, ++k) {
          const bool is_there = k < csr.row_ptr(row + 1);
          columns(at) = is_there ? csr.col_idx(k) : static_cast<int>(row);
          values(at) = is_there ? csr.values(k) : 0.0;
        }
      });
}

}  // namespace

SlicedRows make_sliced_rows(const Exec& exec, const LocalRows& rows) {
  const std::int64_t num_slices = (rows.num_rows + size - 1) / size;
  const auto row_ptr = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), rows.csr.row_ptr);
  const auto outer = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), find_outer(exec, rows, num_slices));
  exec.fence("perf::make_sliced_rows");

  SlicedRows sliced;
  sliced.slices = Kokkos::View<int*, Space>("perf::slices", num_slices);
  sliced.begins = Kokkos::View<int*, Space>("perf::begins", num_slices + 1);
  sliced.places = Kokkos::View<int*, Space>("perf::places", num_slices);
  const auto slices = Kokkos::create_mirror_view(sliced.slices), begins = Kokkos::create_mirror_view(sliced.begins),
             places = Kokkos::create_mirror_view(sliced.places);
  std::int64_t end = 0;
  int place = 0;
  for (const int is_outer : {0, 1}) {
    for (std::int64_t slice = 0; slice < num_slices; ++slice) {
      if (outer(slice) != is_outer) continue;
      places(slice) = place;
      slices(place) = static_cast<int>(slice);
      begins(place++) = static_cast<int>(end);
      int longest = 0;
      for (std::int64_t row = slice * size; row < std::min((slice + 1) * size, rows.num_rows); ++row) {
        longest = std::max(longest, row_ptr(row + 1) - row_ptr(row));
      }
      end += std::int64_t(size) * longest;
      if (end > std::numeric_limits<int>::max()) {
        throw ArgumentError(text("slices of more than ", end, " entries"), "the peer counts them by ints",
                            "choose a smaller case, or more ranks");
      }
    }
    if (is_outer == 0) sliced.num_inner = place;
  }
  begins(place) = static_cast<int>(end);
  Kokkos::deep_copy(exec, sliced.slices, slices);
  Kokkos::deep_copy(exec, sliced.begins, begins);
  Kokkos::deep_copy(exec, sliced.places, places);
  // Zeros: the last slice has lanes without rows.
  sliced.columns = Kokkos::View<int*, Space>("perf::columns", end);
  sliced.values = Vector<double>("perf::values", end);
  fill(exec, rows, sliced);
  exec.fence("perf::make_sliced_rows");
  return sliced;
}

}  // namespace ashlar::perf
