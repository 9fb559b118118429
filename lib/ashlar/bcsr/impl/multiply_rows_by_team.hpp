#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/algorithms.hpp>
#include <cstddef>
#include <cstdint>

// The values of a product of block matrices on a GPU, a team for each block row of C = op(A) B.

namespace ashlar::impl {

/// A thread takes a column of a block of C, or an entry if the shape is known at run time only, and keeps its sums in
/// registers: C is written once, and A and B have the caches to themselves. For some entries of the row of op(A) at a
/// time, the team first finds which block of B each of them adds to which block of C. Sums are in the order of the row
/// of op(A).
template <class Row, class Member>
struct MultiplyRowByTeam {
  using Scalar = typename Row::Scalar;
  using Scratch = typename Member::scratch_memory_space;
  template <class T>
  using Table = Kokkos::View<T*, Scratch, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  static constexpr int entries_at_a_time = 32;
  static constexpr int rows_of_thread = Row::compiled_rows > 0 ? Row::compiled_rows : 1;

  Row row;
  std::int64_t num_rows;

  /// Where the entries of op(A) at hand and their block rows of B begin, and for each block of C at hand which entries
  /// add to it, a bit each, and by which block of their block row of B.
  struct Pairs {
    Table<std::int64_t> block_of_a, begin_of_b;
    Table<unsigned> entries;
    Table<int> place;

    static constexpr int stride = entries_at_a_time + 1;  // neighbouring blocks of C in other memory banks

    KOKKOS_FUNCTION Pairs(const Scratch& scratch, int num_blocks)
        : block_of_a(scratch, entries_at_a_time),
          begin_of_b(scratch, entries_at_a_time),
          entries(scratch, num_blocks),
          place(scratch, num_blocks * stride) {}

    static std::size_t bytes(int num_blocks) {
      return 2 * Table<std::int64_t>::shmem_size(entries_at_a_time) + Table<unsigned>::shmem_size(num_blocks) +
             Table<int>::shmem_size(std::size_t(num_blocks) * stride);
    }
  };

  KOKKOS_INLINE_FUNCTION int threads_of_column() const { return row.rows() / rows_of_thread; }
  KOKKOS_INLINE_FUNCTION int threads_of_block() const { return threads_of_column() * row.cols(); }
  /// As many blocks of C as team_size neighbouring threads have parts of.
  KOKKOS_INLINE_FUNCTION int most_blocks(int team_size) const { return team_size / threads_of_block() + 2; }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Pairs pairs(team.team_scratch(0), most_blocks(team.team_size()));
    for (std::int64_t i = team.league_rank(); i < num_rows; i += team.league_size()) {
      const std::int64_t first = row.c_row_ptr[i], end = (row.c_row_ptr[i + 1] - first) * threads_of_block();
      for (std::int64_t from = 0; from < end; from += team.team_size()) {
        multiply(team, pairs, i, from, Kokkos::min(end, from + team.team_size()));
      }
    }
  }

 private:
  /// The parts of block row i from `from` to before `to`, a thread each.
  KOKKOS_FUNCTION void multiply(const Member& team, const Pairs& pairs, std::int64_t i, std::int64_t from,
                                std::int64_t to) const {
    const std::int64_t of_block = threads_of_block(), part = from + team.team_rank();
    const std::int64_t first = row.c_row_ptr[i] + from / of_block, last = row.c_row_ptr[i] + (to - 1) / of_block + 1;
    const std::int64_t block = row.c_row_ptr[i] + part / of_block;
    const int in_block = static_cast<int>(part % of_block);
    const int r = in_block % threads_of_column() * rows_of_thread, c = in_block / threads_of_column();

    Scalar sums[rows_of_thread] = {};
    for (std::int64_t e = row.a.begin(i); e < row.a.end(i); e += entries_at_a_time) {
      find(team, pairs, e, static_cast<int>(Kokkos::min(std::int64_t(entries_at_a_time), row.a.end(i) - e)), first,
           last);
      if (part < to) add(pairs, static_cast<int>(block - first), r, c, sums);
      team.team_barrier();
    }
    if (part >= to) return;
    Scalar* const values = row.c_values + block * row.rows() * row.cols();
    for (int k = 0; k < rows_of_thread; ++k) values[Row::Layout::at(r + k, c, row.rows(), row.cols())] = sums[k];
  }

  /// The pairs of `count` entries of op(A) with their block rows of B that add to blocks of C from `first` to before
  /// `last`.
  KOKKOS_FUNCTION void find(const Member& team, const Pairs& pairs, std::int64_t first_entry, int count,
                            std::int64_t first, std::int64_t last) const {
    for (int b = team.team_rank(); b < last - first; b += team.team_size()) pairs.entries(b) = 0;
    team.team_barrier();
    const auto column = [this](std::int64_t k) { return row.c_col[k]; };
    const int threads = Kokkos::max(1, team.team_size() / entries_at_a_time);
    for (int t = team.team_rank(); t < count * threads; t += team.team_size()) {
      const int e = t / threads;
      const std::int64_t j = row.a.col(first_entry + e), begin = row.b_row_ptr[j], end = row.b_row_ptr[j + 1];
      if (t % threads == 0) {
        pairs.block_of_a(e) = row.a.offset(first_entry + e);
        pairs.begin_of_b(e) = begin;
      }
      std::int64_t block = first;
      for (std::int64_t k = begin + t % threads; k < end; k += threads) {
        block = first_not_less(column, block, last, std::int64_t(row.b_col[k]));
        if (block == last) break;
        if (row.c_col[block] != row.b_col[k]) continue;
        const int b = static_cast<int>(block - first);
        pairs.place(b * Pairs::stride + e) = static_cast<int>(k - begin);
        Kokkos::atomic_or(&pairs.entries(b), 1u << e);
      }
    }
    team.team_barrier();
  }

  /// Adds the products of block b of C, in column c from row r on.
  KOKKOS_INLINE_FUNCTION void add(const Pairs& pairs, int b, int r, int c, Scalar* sums) const {
    const std::int64_t size_a = row.rows() * row.inner(), size_b = row.inner() * row.cols();
    for (unsigned rest = pairs.entries(b); rest != 0; rest &= rest - 1) {
      const int e = Kokkos::Experimental::countr_zero_builtin(rest);
      const Scalar* const block_a = row.a_values + pairs.block_of_a(e) * size_a;
      const Scalar* const block_b = row.b_values + (pairs.begin_of_b(e) + pairs.place(b * Pairs::stride + e)) * size_b;
      for (int k = 0; k < row.inner(); ++k) {
        const Scalar factor = block_b[Row::Layout::at(k, c, row.inner(), row.cols())];
        for (int q = 0; q < rows_of_thread; ++q) sums[q] += row.entry_of_a(block_a, r + q, k) * factor;
      }
    }
  }
};

/// Enqueues the product of all block rows on `exec`.
template <class Exec, class Row>
void multiply_rows_by_team(const Exec& exec, const Row& row) {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Kernel = MultiplyRowByTeam<Row, Member>;
  if (row.a.num_rows == 0) return;
  const Kernel kernel{row, row.a.num_rows};
  const int team_size = !is_gpu_v<Exec> ? 1 : kernel.threads_of_block() <= 3 ? 32 : 128;
  const int teams = static_cast<int>(std::min(row.a.num_rows, std::int64_t(1) << 30));
  Kokkos::parallel_for("ashlar::product[multiply]",
                       Kokkos::TeamPolicy<Exec>(exec, teams, team_size)
                           .set_scratch_size(0, Kokkos::PerTeam(Kernel::Pairs::bytes(kernel.most_blocks(team_size)))),
                       kernel);
}

}  // namespace ashlar::impl
