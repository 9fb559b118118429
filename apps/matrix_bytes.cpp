#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <ashlar/bcsr/matrix_bytes.hpp>
#include <fstream>
#include <locale>

#include "matrix_bytes.hpp"

namespace ashlar::app {

namespace {

/// As many as the header promises and the file can hold, with their mirror images.
std::uint64_t entries_of(const io::MatrixMarketHeader& header, std::uint64_t file_size) {
  const bool is_array = header.format == io::MatrixMarketFormat::array;
  const std::uint64_t rows = static_cast<std::uint64_t>(header.rows);
  // "1
  // " is the shortest line of an array, and "1 1
  // " the shortest line of a list of entries.
  const std::uint64_t in_file = std::min<std::uint64_t>(header.entries, file_size / (is_array ? 2 : 4) + 1);
  const bool is_half = header.symmetry != io::MatrixMarketSymmetry::general;
  return is_half && in_file > rows ? 2 * in_file - rows : in_file;
}

}  // namespace

Bytes matrix_bytes(const MatrixShape& shape) {
  return {bcsr_bytes<SizedMatrix>(shape.num_block_rows, shape.num_blocks, shape.block_size)};
}

std::uint64_t assembly_bytes(const MatrixShape& shape) {
  const Bytes block_rows{shape.num_block_rows}, block_size{shape.block_size};
  return (matrix_bytes(shape) + block_rows * block_size * Bytes{8}).count;
}

MatrixShape least_shape(const io::MatrixMarketHeader& header, std::uint64_t file_size, std::uint64_t block_size) {
  return {static_cast<std::uint64_t>(header.rows) / block_size,
          entries_of(header, file_size) / (block_size * block_size), block_size};
}

std::uint64_t reading_bytes(const io::MatrixMarketHeader& header, std::uint64_t file_size, std::uint64_t block_size) {
  const Bytes entries{entries_of(header, file_size)}, rows{static_cast<std::uint64_t>(header.rows)};
  const Bytes per_entry_of_list = scalar_bytes + Bytes{8}, per_entry_of_rows = scalar_bytes + Bytes{4};
  const Bytes list = entries * per_entry_of_list;
  const Bytes by_rows = entries * per_entry_of_rows + rows * Bytes{8};
  const Bytes assembly{assembly_bytes(least_shape(header, file_size, block_size))};
  // Three times at which much memory is held: while the text is read, the list sorted, the rows cut into blocks.
  return std::max({(Bytes{file_size} + list).count, (list + by_rows).count, (by_rows + assembly).count});
}

namespace {

std::uint64_t within(decltype(RLIMIT_AS) resource, std::uint64_t used) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return std::numeric_limits<std::uint64_t>::max();
  }
  return limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, used);
}

}  // namespace

std::uint64_t bytes_within_limits() {
  // Pages: of all, resident, shared, code, none, data and stack.
  std::uint64_t pages[6] = {};
  std::ifstream file("/proc/self/statm");
  file.imbue(std::locale::classic());
  for (std::uint64_t& count : pages) file >> count;
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return std::min(within(RLIMIT_AS, pages[0] * page), within(RLIMIT_DATA, pages[5] * page));
}

}  // namespace ashlar::app
