#pragma once

#include <ashlar/persistent_cg/one_device.hpp>

#ifdef KOKKOS_ENABLE_CUDA
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

  /// Whether the thread block's threads have multiplied the block rows that are its own.
  __device__ bool is_own() const { return true; }
  /// The block rows of this thread block.
  __device__ std::int64_t first_block_row() const { return row_of(first_); }
  __device__ std::int64_t last_block_row() const { return row_of(last_); }

  /// The product of the thread block's rows, and the thread's share of x^H y.
  __device__ double multiply(const LoneSync&) const {
    const auto meet = [] { __syncwarp(); };
    double dot = 0;
    product_(first_ + team_, last_, blockDim.x / Product::threads, threadIdx.x % Product::threads, scratch_, meet,
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
