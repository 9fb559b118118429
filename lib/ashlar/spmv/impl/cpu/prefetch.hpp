#pragma once

#include <cstdint>

namespace ashlar::impl {

/// The usual distances of prefetching: about as many bytes as memory delivers until the first of them arrives. Values
/// up to the first distance ahead go into the first cache. Values farther ahead go into the second cache, where they
/// displace nothing else and a core can wait for more lines. most_prefetch_bytes is the longest distance.
inline constexpr int first_cache_prefetch_bytes = 3072, second_cache_prefetch_bytes = 4096;
inline constexpr int most_prefetch_bytes = 1 << 20;
/// The distance of single entries where what a CPU prefetches by itself is nearly in time: past the end of a page.
inline constexpr int single_entry_prefetch_bytes = 512;

/// True if the values of such blocks can be prefetched: contiguous blocks of a compiled size.
constexpr bool can_prefetch(int compiled_size, bool in_order) { return in_order && compiled_size > 0; }

/// When values are prefetched: before some blocks of a block row, or before each column or row of a block. Never many
/// lines together, as the last would wait for room among those that a core can have in flight.
enum class PrefetchBefore { nothing, blocks, columns };

template <class Rows>
constexpr PrefetchBefore prefetch_before() {
  constexpr int b = Rows::compiled_block_size, most_bytes = 256;
  if (!can_prefetch(b, !Rows::is_indirect)) return PrefetchBefore::nothing;
  return b * b * sizeof(typename Rows::value_type) < most_bytes ? PrefetchBefore::blocks : PrefetchBefore::columns;
}

/// The cache that values come into which are prefetched `ahead` bytes ahead.
enum class PrefetchTo { nothing, first_cache, second_cache };

constexpr PrefetchTo prefetch_to(int ahead) {
  if (ahead == 0) return PrefetchTo::nothing;
  return ahead <= first_cache_prefetch_bytes ? PrefetchTo::first_cache : PrefetchTo::second_cache;
}

inline constexpr std::uintptr_t bytes_of_line = 64;

template <PrefetchTo To>
[[gnu::always_inline]] inline void prefetch_line([[maybe_unused]] std::uintptr_t address) {
  constexpr int to_read = 0, to_second_cache = 2;
  // (An address: beyond the end of the array there is nothing to point at, and it does no harm.)
  if constexpr (To == PrefetchTo::first_cache) __builtin_prefetch(reinterpret_cast<const void*>(address));
  if constexpr (To == PrefetchTo::second_cache) {
    __builtin_prefetch(reinterpret_cast<const void*>(address), to_read, to_second_cache);
  }
}

/// Prefetches values `ahead` bytes after the `count` values from `begin` on, in an array that is read once: one line
/// for each started 64 bytes. Consecutive pieces thus prefetch all lines, some twice.
template <PrefetchTo To, class Value>
[[gnu::always_inline]] inline void prefetch_piece(const Value* begin, std::int64_t count, int ahead) {
  if constexpr (To == PrefetchTo::nothing) return;
  constexpr std::int64_t values_of_line = bytes_of_line / sizeof(Value);
  const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(begin) + std::uintptr_t(ahead);
  for (std::int64_t k = 0; k < count; k += values_of_line) prefetch_line<To>(first + std::uintptr_t(k) * sizeof(Value));
}

/// Prefetches the lines that lie `ahead` bytes after those from `begin` to before `end`, in an array that is read once.
[[gnu::always_inline]] inline void prefetch(const void* begin, const void* end, int ahead) {
  const auto last = reinterpret_cast<std::uintptr_t>(end) / bytes_of_line;
  for (auto i = reinterpret_cast<std::uintptr_t>(begin) / bytes_of_line; i < last; ++i) {
    const std::uintptr_t address = i * bytes_of_line + std::uintptr_t(ahead);
    if (prefetch_to(ahead) == PrefetchTo::second_cache) {
      prefetch_line<PrefetchTo::second_cache>(address);
    } else {
      prefetch_line<PrefetchTo::first_cache>(address);
    }
  }
}

/// work(begin, end) for entries begin .. end - 1 of a block row. Without prefetching (`ahead` is 0) one call covers all
/// entries. With it, a call covers the blocks of two lines, or AtATime larger blocks; only the last group may be no
/// multiple of AtATime.
///
/// A CPU that prefetches by itself stops at the end of each page; this does not.
template <int AtATime, class Rows, class Work>
[[gnu::always_inline]] inline void in_groups(const Rows& rows, std::int64_t begin, std::int64_t end,
                                             [[maybe_unused]] int ahead, const Work& work) {
  if constexpr (prefetch_before<Rows>() == PrefetchBefore::blocks) {
    if (ahead == 0) return work(begin, end);
    using Value = typename Rows::value_type;
    constexpr int two_lines = 128, b = Rows::compiled_block_size, bytes = b * b * sizeof(Value);
    constexpr int least = (two_lines + bytes - 1) / bytes, blocks = (least + AtATime - 1) / AtATime * AtATime;
    // As many lines for each group, wherever it begins: a number that changes is a branch that no CPU predicts, and
    // doubled the time of products from caches.
    const auto ask = [&](std::int64_t k, std::int64_t count) __attribute__((always_inline)) {
      if (prefetch_to(ahead) == PrefetchTo::second_cache) {
        prefetch_piece<PrefetchTo::second_cache>(rows.block(k), count * b * b, ahead);
      } else {
        prefetch_piece<PrefetchTo::first_cache>(rows.block(k), count * b * b, ahead);
      }
    };
    std::int64_t k = begin;
    for (; k + blocks <= end; k += blocks) {
      ask(k, blocks);
      work(k, k + blocks);
    }
    if (k == end) return;
    ask(k, end - k);
    work(k, end);
  } else {
    work(begin, end);
  }
}

}  // namespace ashlar::impl
