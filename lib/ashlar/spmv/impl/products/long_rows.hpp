#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/device/memory/instance_scratch.hpp>
#include <ashlar/spmv/impl/launch/spmv_launch.hpp>
#include <ashlar/spmv/impl/operands/arguments.hpp>
#include <ashlar/spmv/impl/operands/vectors.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace ashlar::impl {

/// The block rows that are too long for one group of lanes, cut into segments.
///
/// A segment is to the kernels a block row, whose product goes to the instance's piece of `partial`; the sums of a
/// block row's segments, in their order, are its product.
template <class Ordinal, class Offset, class Space>
struct LongRows {
  template <class T>
  using View = Kokkos::View<T*, Space>;

  View<Offset> segment_begin, segment_end;  // entries of a segment
  View<Ordinal> row;                        // the long block rows
  View<Ordinal> first_segment;              // of each, and one beyond the last
  InstanceScratch<Space> partial;           // of the segments; bytes, as vectors may hold another type than values
  int num_vectors = 1;                      // for so many vectors `partial` has room
};

/// The block rows of more than `longest` blocks, or empty views where there are none.
///
/// Async    waits for `exec`.
template <class Exec, class RowPtr, class Ordinal, class Offset, class Space>
void find_long_rows(const Exec& exec, const RowPtr& row_ptr, std::int64_t longest, std::int64_t blocks_of_segment,
                    std::size_t partial_bytes, LongRows<Ordinal, Offset, Space>& result) {
  const auto host =
      Kokkos::create_mirror(Kokkos::view_alloc(Kokkos::HostSpace(), Kokkos::WithoutInitializing), row_ptr);
  Kokkos::deep_copy(exec, host, row_ptr);
  exec.fence("ashlar::spmv_plan: row pointers");
  std::vector<Offset> begin, end;
  std::vector<Ordinal> row, first_segment{0};
  for (std::size_t i = 0; i + 1 < host.extent(0); ++i) {
    const std::int64_t row_begin = host(i), row_end = host(i + 1);
    if (row_end - row_begin <= longest) continue;
    for (std::int64_t from = row_begin; from < row_end; from += blocks_of_segment) {
      begin.push_back(static_cast<Offset>(from));
      end.push_back(static_cast<Offset>(std::min(from + blocks_of_segment, row_end)));
    }
    row.push_back(static_cast<Ordinal>(i));
    first_segment.push_back(static_cast<Ordinal>(begin.size()));
  }
  const auto to_space = [&](const char* label, const auto& list) {
    using T = typename std::decay_t<decltype(list)>::value_type;
    Kokkos::View<T*, Space> view(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string(label)),
                                 list.size());
    Kokkos::deep_copy(
        exec, view,
        Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(list.data(), list.size()));
    return view;
  };
  result.segment_begin = to_space("ashlar::spmv_plan::segment_begin", begin);
  result.segment_end = to_space("ashlar::spmv_plan::segment_end", end);
  result.row = to_space("ashlar::spmv_plan::long_row", row);
  result.first_segment = to_space("ashlar::spmv_plan::first_segment", first_segment);
  result.partial = InstanceScratch<Space>("ashlar::spmv_plan::partial", begin.size() * partial_bytes);
  result.partial.of(exec);  // who makes a plan mostly multiplies, too
  exec.fence("ashlar::spmv_plan: long rows copied");
}

/// The most blocks that a block row has. Waits for `exec`.
template <class Exec, class RowPtr>
std::int64_t longest_row(const Exec& exec, const RowPtr& row_ptr) {
  std::int64_t longest = 0;
  if (row_ptr.extent(0) < 2) return longest;
  Kokkos::parallel_reduce(
      "ashlar::spmv_plan[longest row]",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, row_ptr.extent(0) - 1),
      KOKKOS_LAMBDA(std::int64_t i, std::int64_t & most) {
        const std::int64_t length = row_ptr(i + 1) - row_ptr(i);
        if (length > most) most = length;
      },
      Kokkos::Max<std::int64_t>(longest));
  return longest;
}

/// y := alpha * (the sums of each long block row's segments) + beta*y; `partial` holds the segments' products.
template <class Exec, class Value, class Scalar, class Ordinal, class Offset, class Space>
void add_segments(const Exec& exec, const LongRows<Ordinal, Offset, Space>& long_rows,
                  const SpmvArguments<Value, Scalar, Ordinal, Offset>& arguments, const Vectors<Scalar>& partial,
                  const MultiVectors<Scalar>& vectors) {
  const auto row = long_rows.row;
  const auto first_segment = long_rows.first_segment;
  const auto row_of_y = arguments.row_of_y;
  const Scalar alpha = arguments.alpha, beta = arguments.beta;
  const int rows = arguments.block_shape.rows;
  const std::int64_t rows_of_vector = static_cast<std::int64_t>(row.extent(0)) * rows;
  Kokkos::parallel_for(
      "ashlar::spmv[sum of long rows]",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, rows_of_vector * vectors.num_vectors),
      KOKKOS_LAMBDA(std::int64_t i) {
        const int v = static_cast<int>(i / rows_of_vector);
        const std::int64_t which = (i - v * rows_of_vector) / rows;
        const int r = static_cast<int>(i - v * rows_of_vector - which * rows);
        Scalar sum(0);
        for (Ordinal s = first_segment(which); s < first_segment(which + 1); ++s) {
          sum += partial(std::int64_t(s) * rows + r, v);
        }
        update(vectors.y(row_of_y(row(which)) * rows + r, v), alpha, sum, beta);
      });
}

/// The long block rows of the product that `arguments` are for: first their segments, which run_segments(arguments, y)
/// is to multiply as block rows, then their sums. The vectors are as many as there is room for.
template <class Exec, class Value, class Scalar, class Ordinal, class Offset, class Space, class RunSegments>
void run_long_rows(const Exec& exec, const SpmvLaunch& launch, const LongRows<Ordinal, Offset, Space>& long_rows,
                   const SpmvArguments<Value, Scalar, Ordinal, Offset>& arguments, const MultiVectors<Scalar>& vectors,
                   const RunSegments& run_segments) {
  const Vectors<Scalar> partial{reinterpret_cast<Scalar*>(long_rows.partial.of(exec)), vectors.num_vectors, 1};
  auto segments = arguments;
  segments.num_block_rows = static_cast<std::int64_t>(long_rows.segment_begin.extent(0));
  segments.longest_row = launch.longest_row;
  segments.row_begin = long_rows.segment_begin.data();
  segments.row_end = long_rows.segment_end.data();
  segments.alpha = Scalar(1);
  segments.beta = Scalar(0);
  segments.y = partial.data;
  segments.row_of_y = {};
  run_segments(segments, partial);
  add_segments(exec, long_rows, arguments, partial, vectors);
}

}  // namespace ashlar::impl
