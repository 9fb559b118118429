#pragma once

#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <algorithm>
#include <cstdint>

#include "sliced_product.hpp"
#include "stored_slices.hpp"

namespace ashlar::impl {

/// Of some slices of a matrix as it is stored, spread evenly: which sectors of x they read, each counted once a slice,
/// and how many blocks they have. A thread block takes a slice. (A functor, as nvcc 13 mixes up lambdas of templates.)
struct SectorsOfSlices {
  static constexpr int sector_bytes = 32;  // of which loads to the first cache are made
  struct Counts {
    std::int64_t sectors = 0, blocks = 0;
    KOKKOS_INLINE_FUNCTION Counts& operator+=(const Counts& other) {
      sectors += other.sectors;
      blocks += other.blocks;
      return *this;
    }
  };
  using value_type = Counts;

  const std::int32_t *row_begin, *col_idx;
  std::int64_t num_block_rows, num_slices, num_counted;
  int rows_of_slice, bytes_of_block;  ///< block rows; bytes of x that a block is multiplied by

  KOKKOS_INLINE_FUNCTION void operator()(const Kokkos::TeamPolicy<Kokkos::Cuda>::member_type& team,
                                         Counts& counts) const {
    const std::int64_t first_row = team.league_rank() * num_slices / num_counted * rows_of_slice,
                       last_row = Kokkos::min(first_row + rows_of_slice, num_block_rows);
    const std::int32_t begin = row_begin[first_row], end = row_begin[last_row];
    for (std::int32_t j = begin + team.team_rank(); j < end; j += team.team_size()) {
      counts.blocks += 1;
      for (std::int64_t sector = first_sector(j); sector <= last_sector(j); ++sector) {
        std::int32_t before = begin;  // the first of the slice's blocks that reads it
        while (before < j && (sector < first_sector(before) || sector > last_sector(before))) ++before;
        counts.sectors += before == j ? 1 : 0;
      }
    }
  }

 private:
  KOKKOS_INLINE_FUNCTION std::int64_t first_sector(std::int32_t j) const {
    return std::int64_t(col_idx[j]) * bytes_of_block / sector_bytes;
  }
  KOKKOS_INLINE_FUNCTION std::int64_t last_sector(std::int32_t j) const {
    return (std::int64_t(col_idx[j] + 1) * bytes_of_block - 1) / sector_bytes;
  }
};

/// Sectors of x that a block of a slice reads from the second cache, on average, where what rows of one slice have read
/// is shared and nothing else. Waits for `exec`.
template <class Value, class Layout, int B, int H, int in_flight>
double sectors_of_block(const Kokkos::Cuda& exec,
                        const SlicedProduct<StoredSlices<Value, Layout, B, H, in_flight>>& product) {
  const auto& a = product.slices.a;
  const std::int64_t counted = std::min<std::int64_t>(product.num_slices(), 1024);
  SectorsOfSlices::Counts counts;
  const SectorsOfSlices count{a.row_begin,           a.col_idx, a.num_block_rows,
                              product.num_slices(),  counted,   product.rows_of_slice,
                              B * int(sizeof(Value))};
  Kokkos::parallel_reduce("ashlar::persistent_cg[sectors of x]",
                          Kokkos::TeamPolicy<Kokkos::Cuda>(exec, static_cast<int>(counted), 128), count, counts);
  exec.fence("ashlar::persistent_cg: sectors of x");
  return counts.blocks == 0 ? 0 : double(counts.sectors) / double(counts.blocks);
}

}  // namespace ashlar::impl
#endif
