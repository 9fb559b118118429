#pragma once

#include <ashlar/bcsr/block.hpp>
#include <ashlar/spmv/kernel.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>

namespace ashlar {

/// The key of the fastest kernel: the device, the types, and the class of the matrix. Matrices of one class share one
/// choice.
struct TuningKey {
  std::string device;  ///< device_name(); of a CPU with its threads and instruction set
  BlockShape block_shape;
  std::string values;   ///< "float": the matrix's scalar type
  std::string vectors;  ///< "double"
  std::string layout;   ///< "column_major"
  std::string mode;     ///< "no_transpose"
  /// At least so many block rows, and fewer than four times as many: a power of 4, at most 4^10, which has no end.
  std::int64_t block_rows_from = 1;
  /// At least so many blocks a block row on average, and fewer than twice as many: a power of 2, or 0.
  std::int64_t row_blocks_from = 0;
  /// How much longer than the average the longest block row is: "even" (up to 2 times), "uneven" (up to 16),
  /// "long_rows".
  std::string spread = "even";

  auto tie() const {
    return std::tie(device, block_shape.rows, block_shape.cols, values, vectors, layout, mode, block_rows_from,
                    row_blocks_from, spread);
  }
  friend bool operator==(const TuningKey& a, const TuningKey& b) { return a.tie() == b.tie(); }
  friend bool operator<(const TuningKey& a, const TuningKey& b) { return a.tie() < b.tie(); }
};

/// The fastest launch that was measured.
struct TuningChoice {
  /// automatic: nothing was faster than the cost model's choice by more than the noise; the others are then 0.
  Kernel kernel = Kernel::automatic;
  int width = 0;                                     ///< lanes a block row; 0: the cost model's for this kernel
  int tile_rows = 0;                                 ///< block rows a tile of by_tile; 0: the cost model's
  std::optional<int> prefetch_bytes = std::nullopt;  ///< SpmvOptions::prefetch_bytes; nothing: the cost model's
  double seconds = 0;                                ///< of a product as chosen
  double default_seconds = 0;                        ///< of a product as the cost model would have it

  friend bool operator==(const TuningChoice& a, const TuningChoice& b) {
    return a.kernel == b.kernel && a.width == b.width && a.tile_rows == b.tile_rows &&
           a.prefetch_bytes == b.prefetch_bytes && a.seconds == b.seconds && a.default_seconds == b.default_seconds;
  }
};

/// The choices that tune() made, for plans to look up: SpmvOptions::tuning.
///
/// In a file it is JSON: {"format": "ashlar-tuning-1", "choices": [{...}, ...]}, an object a choice with the members of
/// TuningKey and TuningChoice by their names. One file may hold the choices of many devices. No choice names the
/// instructions of a CPU: plans take instruction_set(), and choices measured with another set do not count.
class TuningTable {
 public:
  /// The choice for this key, or nothing.
  std::optional<TuningChoice> find(const TuningKey& key) const;
  /// Puts a choice in, in the place of one that this key has.
  void set(const TuningKey& key, const TuningChoice& choice) { choices_[key] = choice; }
  std::size_t size() const { return choices_.size(); }

  /// Adds the choices of a file; they take the place of those with the same keys. An empty file has none.
  ///
  /// Throws   FileError where the file cannot be read, is no JSON, is of another format, or holds what no plan could
  ///          take: a kernel that there is not, a width that no device has, a key twice. The table is then as it was.
  void load(const std::string& file);

  /// Writes the table, and nothing else, to a file: whole or not at all (replace_text_file). What an older file of
  /// that name held is kept only where it was loaded before.
  ///
  /// Throws   FileError; the older file is then still there.
  void save(const std::string& file) const;

 private:
  std::map<TuningKey, TuningChoice> choices_;
};

}  // namespace ashlar
