#include <ashlar/halo/check_partition.hpp>

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ashlar {

namespace {

// FNV-1a, of 64 bits.
std::uint64_t hash(const std::vector<std::int64_t>& numbers) {
  std::uint64_t hash = 14695981039346656037U;
  for (const std::int64_t number : numbers) {
    for (int byte = 0; byte < 8; ++byte) {
      hash = (hash ^ ((static_cast<std::uint64_t>(number) >> (8 * byte)) & 255U)) * 1099511628211U;
    }
  }
  return hash;
}

}  // namespace

void check_partition(const Communicator& comm, const RowPartition& partition, std::string_view who) {
  struct Summary {
    std::int64_t num_parts, num_rows;
    std::uint64_t hash;
    bool operator==(const Summary&) const = default;
  };
  const std::vector<Summary> all =
      comm.all_gather(Summary{partition.num_parts(), partition.num_rows(), hash(partition.offsets())});
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].num_parts != comm.size()) {
      throw ArgumentError(text(who, ": a partition of ", all[rank].num_parts, " parts on rank ", rank),
                          text("there are ", comm.size(), " ranks, and each has a part, be it empty"),
                          "partition the block rows for as many ranks");
    }
    if (!(all[rank] == all[0])) {
      throw ArgumentError(
          text(who, ": rank ", rank, " has another partition than rank 0"),
          text("one of ", all[rank].num_rows, " block rows, that one of ", all[0].num_rows, ", or other cuts"),
          "make it of the same numbers on all ranks");
    }
  }
}

}  // namespace ashlar
