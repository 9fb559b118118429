#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/device/loads/load_chunk.hpp>
#include <cstdint>

namespace ashlar::impl {

/// Entries that a lane loads at a time: 16 bytes, but at most four, and of small values in odd blocks two, as each
/// entry of a chunk may belong to another column then. Where blocks lie anywhere, a chunk must not reach beyond one;
/// block_size 0 is any.
constexpr int entries_of_chunk(int value_bytes, int block_size, bool in_order) {
  const int widest = value_bytes < 4 ? 4 : 16 / value_bytes, bb = block_size * block_size;
  if (!in_order) return block_size > 0 && bb % widest == 0 ? widest : 1;
  return value_bytes <= 4 && block_size % 2 == 1 ? 2 : widest;
}

/// The stored entries of one block row as one list, in the order of storage, read chunk by chunk.
///
/// A chunk must start at an address that its size divides, and a block row may not: so the list is counted from
/// `shift()` entries before the block row. These entries of the row before are read and not used.
///
/// Indirect rows (A^T) have their blocks anywhere. Where a block is whole chunks they are read so, else by the entry.
template <class Rows>
class BlockRowEntries {
 public:
  using Value = typename Rows::value_type;
  static constexpr int b = Rows::compiled_block_size;
  /// Entries of a chunk, by which lanes take them.
  static constexpr int chunk = entries_of_chunk(sizeof(Value), b, !Rows::is_indirect);

  KOKKOS_INLINE_FUNCTION BlockRowEntries(const Rows& rows, std::int64_t first_block, int num_blocks)
      : rows_(rows), first_block_(first_block), count_(num_blocks * rows.values_of_block()), readable_(count_) {
    if constexpr (!Rows::is_indirect) {
      const std::int64_t first = first_block * rows.values_of_block();
      values_ = rows.a.values + first;
      if constexpr (b == 0 || b * b % chunk != 0) {
        shift_ = static_cast<int>(first % chunk);
        // The following entries belong to the next block rows, if there are any.
        const std::int64_t rest = (rows.a.num_blocks - first_block) * rows.values_of_block();
        readable_ = rest < count_ + chunk - 1 ? static_cast<int>(rest) : count_ + chunk - 1;
      }
    }
  }

  /// Entries of the block row.
  KOKKOS_INLINE_FUNCTION int count() const { return count_; }
  /// Entry -shift() is the first that a chunk starts with; less than `chunk`.
  KOKKOS_INLINE_FUNCTION int shift() const { return shift_; }

  /// Entries `entry` .. `entry` + chunk - 1, all before count().
  KOKKOS_INLINE_FUNCTION void load(int entry, Value (&value)[chunk]) const {
    const Value* const from = address(entry);
    if constexpr (chunk == 1) {
      value[0] = *from;
    } else {
      const auto loaded = load_once<chunk* int(sizeof(Value))>(from, rows_.a.hint);
      for (int j = 0; j < chunk; ++j) value[j] = loaded.value[j];
    }
  }

  /// The same where the chunk may reach beyond count(): zeros for what does.
  KOKKOS_INLINE_FUNCTION void load_last(int entry, Value (&value)[chunk]) const {
    for (int j = 0; j < chunk; ++j) value[j] = Value(0);
    if (entry + chunk <= readable_) {
      load(entry, value);
      for (int j = 1; j < chunk; ++j) {
        if (entry + j >= count_) value[j] = Value(0);
      }
    } else {
      for (int j = 0; j < chunk; ++j) {
        if (entry + j < count_) value[j] = *address(entry + j);
      }
    }
  }

 private:
  KOKKOS_INLINE_FUNCTION const Value* address(int entry) const {
    if constexpr (Rows::is_indirect) {
      const int bb = rows_.values_of_block(), which = entry / bb;
      return rows_.block(first_block_ + which) + (entry - which * bb);
    } else {
      return values_ + entry;
    }
  }

  const Rows& rows_;
  std::int64_t first_block_;
  const Value* values_ = nullptr;
  int count_;
  int readable_;  // entries from the first of this block row that a chunk may reach
  int shift_ = 0;
};

}  // namespace ashlar::impl
