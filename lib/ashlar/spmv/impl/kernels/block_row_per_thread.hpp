#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/block.hpp>
#include <ashlar/device/teams/for_entries.hpp>
#include <ashlar/host/instruction_set.hpp>
#include <ashlar/spmv/block_sizes.hpp>
#include <ashlar/spmv/impl/choice/choose_launch.hpp>
#include <ashlar/spmv/impl/cpu/block_row_multi.hpp>
#include <ashlar/spmv/impl/cpu/block_row_ranges.hpp>
#include <ashlar/spmv/impl/cpu/prefetch.hpp>
#include <ashlar/spmv/impl/launch/kernel_of.hpp>
#include <ashlar/spmv/impl/operands/arguments.hpp>
#include <ashlar/spmv/impl/operands/vectors.hpp>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace ashlar::impl {

/// A thread takes a block row, in plain loops: what a GPU falls back to where there is more than the other kernels can
/// count. (On CPUs: BlockRowRanges.) Serves every b up to max_block_size.
template <class Rows>
struct BlockRowPerThread {
  using Scalar = typename Rows::scalar_type;
  static constexpr int capacity = Rows::compiled_block_size > 0 ? Rows::compiled_block_size : max_block_size;

  Rows rows;

  KOKKOS_FUNCTION void operator()(std::int64_t block_row) const {
    const EntryRange range = rows.entries_of(block_row);
    if (!range.is_there) return;
    const int R = rows.rows_of_block(), C = rows.cols_of_block();
    Scalar sum[capacity];
    for (int row = 0; row < R; ++row) sum[row] = Scalar(0);

    for (std::int64_t k = range.begin; k < range.end; ++k) {
      const auto* const block = rows.block(k);
      const Scalar* const x = rows.x_of(k);
      // The inner loop runs along the storage.
      if constexpr (std::is_same_v<typename Rows::layout_type, BlockColumnMajor>) {
        for (int column = 0; column < C; ++column) {
          for (int row = 0; row < R; ++row) sum[row] += rows.entry(block[rows.at(row, column)]) * x[column];
        }
      } else {
        for (int row = 0; row < R; ++row) {
          for (int column = 0; column < C; ++column) sum[row] += rows.entry(block[rows.at(row, column)]) * x[column];
        }
      }
    }
    for (int row = 0; row < R; ++row) rows.store(block_row, row, sum[row]);
  }
};

/// BlockRowPerThread for several vectors: a thread takes a block row, one panel of vectors after the other. (On CPUs:
/// BlockRowRanges.)
template <class Rows, int Panel, bool Interleaved>
struct BlockRowPerThreadMulti {
  using Scalar = typename Rows::scalar_type;

  Rows rows;
  MultiVectors<Scalar> vectors;

  KOKKOS_FUNCTION void operator()(std::int64_t block_row) const {
    const EntryRange range = rows.entries_of(block_row);
    if (!range.is_there) return;
    const int panels = (vectors.num_vectors + Panel - 1) / Panel;
    for (int panel = 0; panel < panels; ++panel) multiply(block_row, range, panel);
  }

 private:
  KOKKOS_FUNCTION void multiply(std::int64_t block_row, const EntryRange& range, int panel) const {
    const int R = rows.rows_of_block(), C = rows.cols_of_block();
    const int first = panel * Panel, rest = vectors.num_vectors - first, count = rest < Panel ? rest : Panel;
    const VectorPanel<Scalar, Panel, Interleaved> x(vectors.x, first, count);
    Scalar sum[max_block_size][Panel];
    for (int row = 0; row < R; ++row) {
      for (int v = 0; v < Panel; ++v) sum[row][v] = Scalar(0);
    }
    for (std::int64_t k = range.begin; k < range.end; ++k) {
      const auto* const block = rows.block(k);
      const std::int64_t col = std::int64_t(rows.a.col_idx[k]) * C;
      for (int column = 0; column < C; ++column) {
        Scalar x_of_entry[Panel];
        x.load(col + column, x_of_entry);
        for (int row = 0; row < R; ++row) {
          const Scalar value = rows.entry(block[rows.at(row, column)]);
          for (int v = 0; v < Panel; ++v) sum[row][v] += value * x_of_entry[v];
        }
      }
    }
    const std::int64_t row_of_y = rows.row_of_y(block_row);
    for (int row = 0; row < R; ++row) {
      for (int v = 0; v < count; ++v) rows.store(vectors, row_of_y + row, first + v, sum[row][v]);
    }
  }
};

template <>
struct KernelOf<Kernel::block_row_per_thread> : KernelBasics<Kernel::block_row_per_thread> {
  static constexpr bool has_single = true;
  static constexpr bool has_multi = true;
  static constexpr bool for_cpus = true;
  static constexpr bool has_lanes = false;
  static constexpr std::int64_t most_block_rows = no_limit;
  static constexpr std::int64_t most_entries_of_x = no_limit;

  static bool serves(const SpmvShape&, int) { return true; }
  /// Its sizes are for CPUs.
  static constexpr int compiled_size(int block_size, int, bool, bool is_gpu) {
    return is_gpu && block_size > 2 ? runtime_block_size : block_size;
  }

  static SpmvLaunch launch(const SpmvShape& shape, const SpmvDevice& device, const LaunchRequest& request) {
    SpmvLaunch launch;
    if (!device.is_gpu && device.threads > 1) {
      // No thread is to be late by more than about an eighth of its work, and small matrices are not worth two more
      // launches.
      const std::int64_t longest_row =
          std::max(shape.num_blocks / (8 * device.threads), 4 * blocks_of_segment(shape.block_shape));
      if (shape.longest_row > longest_row) launch.longest_row = longest_row;
    }
    if (!device.is_gpu) launch.instruction_set = device.instruction_set;
    launch.prefetch_bytes = choose_prefetch(shape, device, request.prefetch_bytes);
    return launch;
  }
  /// Its neighbouring threads read far apart: hopeless but for the smallest blocks.
  static std::vector<LaunchRequest> candidates(const SpmvShape& shape, const SpmvDevice&, const SpmvLaunch&) {
    if (shape.block_shape.num_values() > 4) return {};
    return {{kernel}};
  }
  /// The distance of prefetching may change the time much, and the best distance depends on the machine.
  static std::vector<LaunchRequest> candidates_on_cpu(const SpmvShape& shape) {
    if (!can_prefetch(compiled_size_of(kernel, shape, false), shape.in_order)) return {{kernel}};
    std::vector<LaunchRequest> candidates{{kernel, 0, 0, 0}};
    if (shape.block_shape.num_values() == 1) candidates.push_back({kernel, 0, 0, single_entry_prefetch_bytes});
    candidates.push_back({kernel, 0, 0, first_cache_prefetch_bytes});
    candidates.push_back({kernel, 0, 0, second_cache_prefetch_bytes});
    return candidates;
  }
  static std::string describe(const SpmvLaunch& launch) {
    std::string result = ", one thread a block row";
    if (launch.instruction_set) result += text(", ", to_string(*launch.instruction_set), " instructions");
    if (const std::size_t cuts = launch.first_row.extent(0); cuts > 0) {
      result += text(", ", cuts - 1, " ranges of about equal work");
    }
    if (launch.prefetch_bytes > 0) result += text(", values prefetched ", launch.prefetch_bytes, " bytes ahead");
    return result;
  }

  template <class Exec, class Rows>
  static void run(const Exec& exec, const SpmvLaunch& launch, const Rows& rows) {
    if constexpr (is_gpu_v<Exec>) {
      start(exec, launch, rows.a.num_block_rows, BlockRowPerThread<Rows>{rows});
    } else {
      start_on_host(exec, launch, rows, OneVector<Rows>{launch.prefetch_bytes});
    }
  }

  template <class Exec, class Rows>
  static void run_multi(const Exec& exec, const SpmvLaunch& launch, const Rows& rows,
                        const MultiVectors<typename Rows::scalar_type>& vectors) {
    if constexpr (is_gpu_v<Exec>) {
      with_panel<4, usual_panel>(vectors, [&](auto panel, auto interleaved) {
        start(exec, launch, rows.a.num_block_rows, BlockRowPerThreadMulti<Rows, panel(), interleaved()>{rows, vectors});
      });
    } else {
      if constexpr (!is_complex_v<typename Rows::scalar_type>) {
        const bool are_in_one_piece = vectors.x.row_stride == 1 && !vectors.are_by_rows();
        if (rows.rows_of_block() == 1 && rows.cols_of_block() == 1 && are_in_one_piece) {
          using Single = SingleEntryRows<Rows>;
          return start_on_host(exec, launch, Single{rows.a},
                               EntriesOfSomeVectors<Single>{vectors, launch.prefetch_bytes});
        }
      }
      start_on_host(exec, launch, rows, SomeVectors<Rows>{vectors});
    }
  }

 private:
  template <class Exec, class Product>
  static void start(const Exec& exec, const SpmvLaunch& launch, std::int64_t count, const Product& product) {
    Kokkos::parallel_for(launch.label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, count),
                         product);
  }

  template <class Exec, class Rows, class Product>
  static void start_on_host(const Exec& exec, const SpmvLaunch& launch, const Rows& rows, const Product& product) {
    const BlockRowRanges<Rows, Product> ranges{rows, launch.first_row, exec.concurrency() == 1,
                                               launch.instruction_set.value_or(InstructionSet::baseline), product};
    if constexpr (runs_at_launch<Exec>) {
      for_each_on_host(launch.label.c_str(), exec, ranges.count(), AnyBlockRowRanges(ranges));
    } else {
      for_each_on_host(launch.label.c_str(), exec, ranges.count(), ranges);
    }
  }

  /// How far ahead values are prefetched: not at all if all that a product reads stays in the last cache, from which
  /// they come in time. A quarter of that is sure to be there: other programs and the vectors of a solver use it, too,
  /// and to prefetch in vain costs a tenth, not to prefetch from memory a fifth to two fifths. From memory what a CPU
  /// prefetches by itself comes too late for small blocks, and for single entries at each page; for larger ones on some
  /// machines, where on others prefetching halves the speed. docs/lab_notes/products.md has the measurements.
  static int choose_prefetch(const SpmvShape& shape, const SpmvDevice& device, const std::optional<int>& asked) {
    constexpr int small_block = 96;
    if (shape.many_vectors) return 0;
    const int b = compiled_size_of(kernel, shape, device.is_gpu);
    if (device.is_gpu || !can_prefetch(b, shape.in_order)) return 0;
    if (asked) return *asked;
    constexpr std::int64_t users_of_cache = 4;
    if (shape.traffic_bytes < device.processor_cache_bytes / users_of_cache) return 0;
    if (device.gains_by_prefetch) return second_cache_prefetch_bytes;
    if (b == 1 && shape.value_bytes <= 8) return single_entry_prefetch_bytes;
    return b > 1 && b * b * shape.value_bytes <= small_block ? first_cache_prefetch_bytes : 0;
  }
};

}  // namespace ashlar::impl
