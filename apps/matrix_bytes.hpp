#pragma once

#include <algorithm>
#include <ashlar/base/bytes.hpp>
#include <ashlar/device/memory/available_memory.hpp>
#include <ashlar/io/matrix_market.hpp>
#include <cstdint>
#include <limits>
#include <string>

#include "types.hpp"

namespace ashlar::app {

using Bytes = ByteCount;

/// A matrix takes as much in each memory.
using SizedMatrix = Matrix<HostExecution>;

inline constexpr Bytes scalar_bytes{sizeof(SizedMatrix::scalar_type)};
inline constexpr Bytes index_bytes{sizeof(SizedMatrix::ordinal_type)};
static_assert(sizeof(SizedMatrix::ordinal_type) == sizeof(SizedMatrix::offset_type));

/// The structure of a matrix of square blocks, which determines its size in memory.
struct MatrixShape {
  std::uint64_t num_block_rows = 0;
  std::uint64_t num_blocks = 0;
  std::uint64_t block_size = 1;
};

Bytes matrix_bytes(const MatrixShape& shape);

/// Bytes that making a matrix from rows of a file takes on the host: its blocks are put together there, with 8 bytes a
/// row of scratch, before a device gets them. The largest number there is where 64 bits do not hold it.
std::uint64_t assembly_bytes(const MatrixShape& shape);

/// The matrix in a file of this size, were all of its blocks full: the least that it can take. The file is taken at its
/// word on its entries as far as its own size bears that out: a lie is the reader's to report.
MatrixShape least_shape(const io::MatrixMarketHeader& header, std::uint64_t file_size, std::uint64_t block_size);

/// Bytes that reading such a file and cutting it into blocks takes on the host at least.
std::uint64_t reading_bytes(const io::MatrixMarketHeader& header, std::uint64_t file_size, std::uint64_t block_size);

/// Bytes that this process may still take by its own limits (`ulimit -v`, `ulimit -d`, which batch systems set): those
/// of addresses and of data. The largest number there is where it has none.
std::uint64_t bytes_within_limits();

/// Bytes that allocations in Space can still get, by the machine and by the limits of the process.
template <class Space>
std::uint64_t bytes_left() {
  const bool is_host = Kokkos::SpaceAccessibility<HostExecution, Space>::accessible;
  return std::min(available_bytes<Space>(),
                  is_host ? bytes_within_limits() : std::numeric_limits<std::uint64_t>::max());
}

/// Throws MemoryError where the host has fewer bytes left than `needed`.
inline void require_host_memory(std::uint64_t needed, const std::string& what) {
  require_memory(needed, bytes_left<Kokkos::HostSpace>(), what);
}

}  // namespace ashlar::app
