#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ashlar {

class Communicator;

/// A partition of block rows into one contiguous part for each rank. Parts may be empty. All ranks hold the same
/// partition. Immutable.
class RowPartition {
 public:
  RowPartition() = default;

  /// Part p has block rows offsets[p] to offsets[p + 1] - 1.
  ///
  /// Throws   ArgumentError unless the offsets begin at 0 and never decrease; names the first offset at fault.
  explicit RowPartition(std::vector<std::int64_t> offsets);

  /// Parts whose numbers of block rows differ by at most one.
  static RowPartition even(std::int64_t num_rows, int num_parts);

  /// Parts of about equal weight: each cut is at the row begin nearest to the exact cut. weights[i] >= 0 is the weight
  /// of block row i. If all weights are 0, the result is even().
  ///
  /// Throws   ArgumentError for a negative weight; names its row.
  static RowPartition by_weights(std::span<const std::int64_t> weights, int num_parts);

  /// The same from running sums: row_ptr[i] is the weight of all block rows before i. Row pointers balance the blocks.
  static RowPartition by_row_ptr(std::span<const std::int64_t> row_ptr, int num_parts);

  /// The same with a share for each part: part p gets about shares[p] / sum(shares) of the weight, and nothing if its
  /// share is 0. If all weights are 0, each block row counts the same.
  ///
  /// Throws   ArgumentError if no share is positive, a share is negative, or their sum is not finite; names the share.
  static RowPartition by_shares(std::span<const std::int64_t> row_ptr, std::span<const double> shares);

  int num_parts() const { return static_cast<int>(offsets_.size()) - 1; }
  std::int64_t num_rows() const { return offsets_.back(); }
  std::int64_t begin(int part) const { return offsets_[static_cast<std::size_t>(part)]; }
  std::int64_t end(int part) const { return offsets_[static_cast<std::size_t>(part) + 1]; }
  std::int64_t size(int part) const { return end(part) - begin(part); }
  /// The part that has block row `row`.
  ///
  /// Throws   ArgumentError if there is no such row.
  int owner(std::int64_t row) const;
  const std::vector<std::int64_t>& offsets() const { return offsets_; }

  friend bool operator==(const RowPartition& a, const RowPartition& b) { return a.offsets_ == b.offsets_; }

 private:
  std::vector<std::int64_t> offsets_{0};
};

/// Collective. Checks that all ranks pass the same partition, with a part for each rank.
///
/// Throws   ArgumentError on all ranks. `who` begins its message.
void check_partition(const Communicator& comm, const RowPartition& partition, std::string_view who);

}  // namespace ashlar
