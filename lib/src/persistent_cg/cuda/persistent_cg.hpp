#pragma once

#include <ashlar/persistent_cg/one_device.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <ashlar/krylov/cg_scalars.hpp>

#include "rank_sync.hpp"

namespace ashlar::impl {

/// A TeamProduct whose teams are warps, with what a grid needs to know of it. For devices and matrices without
/// SlicedProduct.
template <class Product>
struct GridTeams {
  static_assert(Product::threads == 32);
  static constexpr int block_size = Product::block_size;
  static constexpr int most_threads = 768;  // 80 registers each
  /// Loads of vectors that a thread has in flight.
  static constexpr int entries_in_flight = 1;

  Product product;
};

/// The teams of a thread block, which go through the places of its share.
template <class Teams>
class TeamWorker {
 public:
  using Product = decltype(Teams::product);

  __device__ TeamWorker(const Teams& teams, char* shared)
      : product_(teams.product),
        team_(threadIdx.x / Product::threads),
        scratch_(shared + team_ * teams.product.scratch_bytes()) {
    const std::int64_t places = product_.num_places();
    first_ = places * blockIdx.x / gridDim.x;
    last_ = places * (blockIdx.x + 1) / gridDim.x;
  }

  /// True if the thread block's threads have multiplied the block rows that are its own.
  __device__ bool is_own() const { return true; }
  /// The block rows of this thread block.
  __device__ std::int64_t first_block_row() const { return row_of(first_); }
  __device__ std::int64_t last_block_row() const { return row_of(last_); }

  /// The product of the thread block's rows, and the thread's share of x^H y.
  __device__ double multiply(const LoneSync&) const {
    const auto barrier = [] { __syncwarp(); };
    double dot = 0;
    product_(first_ + team_, last_, blockDim.x / Product::threads, threadIdx.x % Product::threads, scratch_, barrier,
             &dot);
    return dot;
  }

  __device__ void finish() const {}

 private:
  __device__ std::int64_t row_of(std::int64_t place) const {
    const std::int64_t row = place * product_.block_rows_of_place(), all = product_.arguments().num_block_rows;
    return row < all ? row : all;
  }

  const Product& product_;
  int team_;
  char* scratch_;
  std::int64_t first_, last_;
};

}  // namespace ashlar::impl
#endif

#ifdef KOKKOS_ENABLE_CUDA
#include "cg_iteration.hpp"
#include "rank_sync.hpp"
#include "sliced_product.hpp"

namespace ashlar::impl {

template <class Product>
struct WorkerOf {
  using type = TeamWorker<Product>;
};
template <class Slices>
struct WorkerOf<SlicedProduct<Slices>> {
  using type = typename SlicedProduct<Slices>::Worker;
};

/// Shared memory of a thread block before what its product takes: a multiple of 128.
__host__ __device__ inline std::size_t bytes_before_product(int blocks) {
  return (bytes_of_scalars_and_sums(blocks) + 127) / 128 * 128;
}

/// Behind the scalars.
__device__ inline OthersOfBlock& others_of_block(char* shared) {
  static_assert(sizeof(CgScalars) + sizeof(OthersOfBlock) <= bytes_of_scalars && sizeof(CgScalars) % 8 == 0);
  return *reinterpret_cast<OthersOfBlock*>(shared + sizeof(CgScalars));
}

/// x += alpha*p and p := z + beta*p for the thread block's rows; each thread loads `count` entries before it uses the
/// first.
template <int count, class Scalar>
__device__ void turn_direction(const CgScalars& s, const CgPlace<Scalar>& place, std::int64_t first,
                               std::int64_t last) {
  const Scalar alpha(s.alpha), beta(s.beta);
  const bool steps = s.alpha != 0, turns = s.beta != 0;
  const int step = blockDim.x;
  for (std::int64_t i = first + threadIdx.x; i < last; i += count * step) {
    Scalar z[count], p[count], x[count];
#pragma unroll
    for (int u = 0; u < count; ++u) {
      if (i + u * step >= last) continue;
      z[u] = place.z[i + u * step];
      p[u] = steps || turns ? place.p[i + u * step] : Scalar(0);
      x[u] = steps ? place.x[i + u * step] : Scalar(0);
    }
#pragma unroll
    for (int u = 0; u < count; ++u) {
      if (i + u * step >= last) continue;
      if (steps) place.x[i + u * step] = x[u] + alpha * p[u];
      place.p[i + u * step] = turns ? z[u] + beta * p[u] : z[u];
    }
  }
}

/// r -= length*q for the thread block's rows, and with a diagonal preconditioner z: the thread's shares of r^H r and
/// r^H z.
template <int count, class Scalar>
__device__ void shorten_residual(double length, const CgPlace<Scalar>& place, const DiagonalInverse<Scalar>& inverse,
                                 std::int64_t first, std::int64_t last, double (&sums)[2]) {
  const Scalar alpha(length);
  const bool is_diagonal = inverse.values != nullptr && inverse.block_size == 1;
  const int step = blockDim.x;
  for (std::int64_t i = first + threadIdx.x; i < last; i += count * step) {
    Scalar r[count], q[count];
#pragma unroll
    for (int u = 0; u < count; ++u) {
      if (i + u * step >= last) continue;
      r[u] = place.r[i + u * step];
      q[u] = place.q[i + u * step];
    }
#pragma unroll
    for (int u = 0; u < count; ++u) {
      if (i + u * step >= last) continue;
      if (length != 0) {  // (0 times what is not finite would be no number)
        r[u] -= alpha * q[u];
        place.r[i + u * step] = r[u];
      }
      sums[0] += double(r[u]) * double(r[u]);
      if (is_diagonal) {
        const Scalar z = inverse.values[i + u * step] * r[u];
        place.z[i + u * step] = z;
        sums[1] += double(r[u]) * double(z);
      }
    }
  }
}

/// z := M^-1 r for the thread block's rows, whose r all threads have written; returns the thread's share of r^H z.
template <int B, class Scalar>
__device__ double apply_inverse(const DiagonalInverse<Scalar>& inverse, const Scalar* r, Scalar* z, std::int64_t first,
                                std::int64_t last) {
  double rz = 0;
  for (std::int64_t i = first + threadIdx.x; i < last; i += blockDim.x) {
    const std::int64_t block = i / B;
    const Scalar entry = entry_of_inverse_product<B>(inverse, block, static_cast<int>(i - block * B), r);
    z[i] = entry;
    rz += double(r[i]) * double(entry);
  }
  return rz;
}

/// Many iterations of CG, of one rank or of several. See persistent_cg().
template <class Sync, class Product, class Scalar>
__global__ void __launch_bounds__(Product::most_threads, 1)
    persistent_cg_kernel(const Product product, const CgPlace<Scalar> place, const DiagonalInverse<Scalar> inverse,
                         GridMemory* const memory, unsigned* const failed, const std::uint64_t limit_ns,
                         const __grid_constant__ typename Sync::Ranks ranks, const int iterations) {
  constexpr int B = Product::block_size;
  extern __shared__ __align__(128) char shared[];
  CgScalars& s = *reinterpret_cast<CgScalars*>(shared);
  double* const scratch = reinterpret_cast<double*>(shared + bytes_of_scalars);
  if (threadIdx.x == 0) s = *place.scalars;
  __syncthreads();
  if (!s.is_running() || iterations <= 0) return;

  Sync grid(memory, limit_ns, ranks);
  typename WorkerOf<Product>::type worker(product, shared + bytes_before_product(Sync::blocks_of_sums(ranks)));
  if constexpr (Sync::is_of_ranks) worker.look_at_others(grid, others_of_block(shared));
  // (Made of the worker's where they are wanted: registers are few.)
  const auto first = [&] { return worker.first_block_row() * B; };
  const auto last = [&] { return worker.last_block_row() * B; };

  for (int k = 0; k < iterations; ++k) {
    turn_direction<Product::entries_in_flight>(s, place, first(), last());
    if constexpr (Sync::is_of_ranks) worker.prepare(grid);
    grid.barrier();

    // (The halo entries of p travel under the products of the rows without remote blocks.)
    if constexpr (Sync::is_of_ranks) grid.send_halo(B, place.p);
    double pq[1] = {worker.multiply(grid)};
    if (!worker.is_own()) grid.barrier();
    if constexpr (Sync::is_of_ranks) {
      grid.template sum<1>(pq, scratch, worker.is_added_to(grid));
    } else {
      grid.template sum<1>(pq, scratch);
    }

    double sums[2] = {0, 0};
    shorten_residual<Product::entries_in_flight>(set_step_length(s, pq[0]), place, inverse, first(), last(), sums);
    if (B > 1 && inverse.values != nullptr && inverse.block_size > 1) {
      __syncthreads();
      sums[1] = apply_inverse<B>(inverse, place.r, place.z, first(), last());
    }
    if (!end_iteration(grid, scratch, s, place, inverse.values == nullptr, pq[0], sums[0], sums[1], failed)) break;
  }
  worker.finish();
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *place.scalars = s;
    if constexpr (Sync::is_of_ranks) grid.finish();
  }
}

}  // namespace ashlar::impl
#endif
