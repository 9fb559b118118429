#include <ashlar/persistent_cg/one_device.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <ashlar/device/runtime/cuda_check.hpp>
#include <ashlar/spmv/values_hint.hpp>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <optional>
#include <string>

#include "cuda/diagonal_copy.hpp"

namespace ashlar::impl {

namespace {

constexpr int threads = 256, warps_of_block = threads / 32;
/// No diagonal, as this one would be further up than any.
constexpr std::int32_t none = std::numeric_limits<std::int32_t>::max();
/// The number of diagonals of a slice that has too many.
constexpr std::int32_t too_many = std::numeric_limits<std::int32_t>::max();

/// How long the copy may be, of the matrix as it is stored, to be worth it.
constexpr double worth_it = 0.9;

template <class Value>
using ScalarRows = SpmvArguments<Value, Value, std::int32_t, std::int32_t>;

/// All lanes of a warp: visit(number, diagonal, has, at) for each diagonal of the slice, ascending as columns do; `has`
/// says whether the lane's row has an entry there, `at` which. Returns their number, or a larger one than `most`.
template <class Value, class Visit>
__device__ int visit_diagonals(const ScalarRows<Value>& a, int slice, int most, const Visit& visit) {
  const int row = slice * rows_of_diagonal + static_cast<int>(threadIdx.x % 32);
  const bool is_there = row < a.num_block_rows;
  std::int32_t at = is_there ? a.row_begin[row] : 0;
  const std::int32_t end = is_there ? a.row_end[row] : 0;
  const auto diagonal_of = [&] { return at < end ? a.col_idx[at] - row : none; };
  int next = diagonal_of(), count = 0;
  while (count <= most) {
    int diagonal = next;
    for (int offset = 16; offset > 0; offset /= 2) {
      const int other = __shfl_xor_sync(0xffffffffu, diagonal, offset);
      if (other < diagonal) diagonal = other;
    }
    if (diagonal == none) break;
    const bool has = next == diagonal;
    visit(count++, diagonal, has, at);
    if (has) {
      ++at;
      next = diagonal_of();
    }
  }
  return count;
}

/// How many diagonals each slice has: too many, where they are more than twice the entries of its longest row.
template <class Value>
__global__ void count_diagonals(const ScalarRows<Value> a, int num_slices, std::int32_t* counts) {
  const int slice = static_cast<int>(blockIdx.x) * warps_of_block + static_cast<int>(threadIdx.x) / 32;
  if (slice >= num_slices) return;
  const int row = slice * rows_of_diagonal + static_cast<int>(threadIdx.x % 32);
  int longest = row < a.num_block_rows ? a.row_end[row] - a.row_begin[row] : 0;
  for (int offset = 16; offset > 0; offset /= 2) {
    const int other = __shfl_xor_sync(0xffffffffu, longest, offset);
    if (other > longest) longest = other;
  }
  const int most = 2 * longest, count = visit_diagonals(a, slice, most, [](int, int, bool, std::int32_t) {});
  if (threadIdx.x % 32 == 0) counts[slice] = count > most ? too_many : count;
}

/// Writes the diagonals of each slice: their number, where they are, their values.
template <class Value>
__global__ void write_diagonals(const ScalarRows<Value> a, int num_slices, const std::int32_t* begin,
                                std::int32_t* offsets, Value* values) {
  const int slice = static_cast<int>(blockIdx.x) * warps_of_block + static_cast<int>(threadIdx.x) / 32;
  if (slice >= num_slices) return;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const std::int32_t first = begin[slice], count = begin[slice + 1] - first;
  std::int32_t* const of_slice = offsets + place_of_offsets(slice, first);
  if (lane == 0) of_slice[0] = count;
  visit_diagonals(a, slice, count, [&](int number, int diagonal, bool has, std::int32_t at) {
    if (lane == 0) of_slice[1 + number] = diagonal;
    values[(std::int64_t(first) + number) * rows_of_diagonal + lane] = has ? a.values[at] : Value(0);
  });
}

/// Diagonals of all slices, and of that with the most.
struct Diagonals {
  std::int64_t sum = 0;
  std::int32_t most = 0;
};

/// counts[s] := the sum of the counts before s; the last one is the total.
Diagonals add_up(const Kokkos::Cuda& exec, const Kokkos::View<std::int32_t*, Kokkos::CudaSpace>& counts) {
  using Policy = Kokkos::RangePolicy<Kokkos::Cuda, Kokkos::IndexType<std::int64_t>>;
  const auto num_slices = static_cast<std::int64_t>(counts.extent(0)) - 1;
  Diagonals all;
  Kokkos::parallel_reduce(
      "ashlar::persistent_cg[diagonals]", Policy(exec, 0, num_slices),
      KOKKOS_LAMBDA(std::int64_t slice, std::int64_t & sum, std::int32_t & most) {
        sum += counts(slice);
        if (counts(slice) > most) most = counts(slice);
      },
      Kokkos::Sum<std::int64_t>(all.sum), Kokkos::Max<std::int32_t>(all.most));
  exec.fence("ashlar::persistent_cg: diagonals");
  if (all.most == too_many || all.sum >= std::numeric_limits<std::int32_t>::max()) return {0, too_many};
  Kokkos::parallel_scan(
      "ashlar::persistent_cg[where diagonals begin]", Policy(exec, 0, num_slices + 1),
      KOKKOS_LAMBDA(std::int64_t slice, std::int32_t & sum, bool is_last) {
        const std::int32_t count = slice < num_slices ? counts(slice) : 0;
        if (is_last) counts(slice) = sum;
        sum += count;
      });
  return all;
}

bool has_room(std::size_t bytes) {
  std::size_t free = 0, all = 0;
  cuda_check(cudaMemGetInfo(&free, &all), "cudaMemGetInfo");
  return 2 * bytes <= free;
}

}  // namespace

template <class Value>
std::optional<DiagonalCopy<Value>> make_diagonal_copy(const Kokkos::Cuda& exec, const ScalarRows<Value>& a,
                                                      std::uint64_t most_bytes) {
  if (most_bytes == 0) return std::nullopt;
  constexpr std::int64_t most_rows = std::int64_t(1) << 30;  // so that a row and a diagonal add up to a 32-bit number
  if (a.num_block_rows == 0 || a.num_block_rows > most_rows || a.block != nullptr) return std::nullopt;
  const int num_slices = static_cast<int>((a.num_block_rows + rows_of_diagonal - 1) / rows_of_diagonal),
            blocks = (num_slices + warps_of_block - 1) / warps_of_block;
  DiagonalCopy<Value> copy;
  const auto made = [&](const std::string& label) {
    return Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label);
  };
  cuda_check(cudaSetDevice(exec.cuda_device()), "cudaSetDevice");
  const cudaStream_t stream = exec.cuda_stream();
  const std::size_t begin_bytes = 4 * (std::size_t(num_slices) + 1);
  if (begin_bytes > most_bytes || !has_room(begin_bytes)) return std::nullopt;
  copy.begin = Kokkos::View<std::int32_t*, Kokkos::CudaSpace>(made("ashlar::persistent_cg::begin"), num_slices + 1);
  count_diagonals<<<blocks, threads, 0, stream>>>(a, num_slices, copy.begin.data());
  cuda_check(cudaGetLastError(), "count_diagonals");
  const Diagonals all = add_up(exec, copy.begin);
  if (all.most == too_many) return std::nullopt;
  const std::size_t values = std::size_t(all.sum) * rows_of_diagonal, value_bytes = values * sizeof(Value),
                    offsets = place_of_offsets(num_slices, std::int32_t(all.sum));
  if (double(value_bytes + 4 * all.sum) > worth_it * double(a.num_blocks) * (sizeof(Value) + 4)) return std::nullopt;
  const std::size_t bytes = value_bytes + 4 * offsets;
  if (begin_bytes + bytes > most_bytes || !has_room(bytes)) return std::nullopt;

  copy.most_diagonals = all.most;
  try {
    copy.offsets = Kokkos::View<std::int32_t*, Kokkos::CudaSpace>(made("ashlar::persistent_cg::offsets"), offsets);
    copy.values = Kokkos::View<Value*, Kokkos::CudaSpace>(made("ashlar::persistent_cg::values"), values);
  } catch (const std::exception&) {
    return std::nullopt;  // no room after all: the matrix is there as it is stored
  }
  write_diagonals<<<blocks, threads, 0, stream>>>(a, num_slices, copy.begin.data(), copy.offsets.data(),
                                                  copy.values.data());
  cuda_check(cudaGetLastError(), "write_diagonals");
  copy.hint = values_hint(exec, a.num_block_rows, static_cast<std::int64_t>(values), sizeof(Value),
                          static_cast<std::int64_t>(4 * offsets));
  return copy;
}

template std::optional<DiagonalCopy<double>> make_diagonal_copy(const Kokkos::Cuda&, const ScalarRows<double>&,
                                                                std::uint64_t);
template std::optional<DiagonalCopy<float>> make_diagonal_copy(const Kokkos::Cuda&, const ScalarRows<float>&,
                                                               std::uint64_t);

}  // namespace ashlar::impl
#endif
