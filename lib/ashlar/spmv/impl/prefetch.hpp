#pragma once

#include <cstdint>

namespace ashlar::impl {

/// How far ahead values are asked for where that pays, and the farthest that it may be.
inline constexpr int short_prefetch_bytes = 3072, long_prefetch_bytes = 6144, most_prefetch_bytes = 1 << 20;

/// Whether the values of such blocks can be asked for ahead: those that lie one after another, of a compiled size, and
/// of no more lines than a CPU has under way anyhow.
constexpr bool can_prefetch(int compiled_size, int value_bytes, bool in_order) {
  constexpr int most_bytes = 2304;
  return in_order && compiled_size > 0 && compiled_size * compiled_size * value_bytes <= most_bytes;
}

/// Asks for the lines that lie `ahead` bytes after those from `begin` to before `end`, in an array that is read once.
/// What is asked for beyond the end of the array does no harm.
[[gnu::always_inline]] inline void prefetch(const void* begin, const void* end, int ahead) {
  constexpr std::uintptr_t line = 64;
  const auto last = reinterpret_cast<std::uintptr_t>(end) / line;
  for (auto i = reinterpret_cast<std::uintptr_t>(begin) / line; i < last; ++i) {
    __builtin_prefetch(reinterpret_cast<const void*>(i * line + std::uintptr_t(ahead)));
  }
}

/// work(begin, end) for entries begin .. end - 1 of a block row: all at once, or where their values are asked for
/// `ahead` bytes ahead (0: they are not), in groups of some lines, or of AtATime larger blocks. Only the last group may
/// be no multiple of AtATime.
///
/// A CPU that prefetches by itself stops at the end of each page; this does not.
template <int AtATime, class Rows, class Work>
[[gnu::always_inline]] inline void in_groups(const Rows& rows, std::int64_t begin, std::int64_t end,
                                             [[maybe_unused]] int ahead, const Work& work) {
  constexpr int b = Rows::compiled_block_size, value_bytes = sizeof(typename Rows::value_type);
  if constexpr (can_prefetch(b, value_bytes, !Rows::is_indirect)) {
    constexpr int small_block = 96, bytes_of_group = 1024, bytes = b * b * value_bytes;
    constexpr int some = bytes <= small_block ? (bytes_of_group / bytes + AtATime - 1) / AtATime * AtATime : AtATime;
    const std::int64_t group = ahead > 0 ? some : end - begin;
    for (std::int64_t k = begin; k < end; k += group) {
      const std::int64_t stop = k + group < end ? k + group : end;
      if (ahead > 0) prefetch(rows.block(k), rows.block(stop), ahead);
      work(k, stop);
    }
  } else {
    work(begin, end);
  }
}

}  // namespace ashlar::impl
