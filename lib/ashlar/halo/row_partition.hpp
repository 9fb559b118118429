#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ashlar {

class Communicator;

/// Block rows cut into one contiguous part for each rank, some of which may be empty. The same on all ranks; immutable.
class RowPartition {
 public:
  RowPartition() = default;

  /// Part p has block rows offsets[p] to offsets[p + 1].
  ///
  /// Throws   ArgumentError unless the offsets begin at 0 and never decrease, naming the first that does.
  explicit RowPartition(std::vector<std::int64_t> offsets);

  /// Parts of equally many block rows, give or take one.
  static RowPartition even(std::int64_t num_rows, int num_parts);

  /// Parts of about equal weight: of each cut, the nearer of the two places beside the exact one. weights[i] is block
  /// row i's, not negative; where all are 0, as even().
  ///
  /// Throws   ArgumentError for a negative weight, naming its row.
  static RowPartition by_weights(std::span<const std::int64_t> weights, int num_parts);

  /// The same from running sums: row_ptr[i] is the weight of all block rows before i. Row pointers balance the blocks.
  static RowPartition by_row_ptr(std::span<const std::int64_t> row_ptr, int num_parts);

  /// The same for parts that are not alike: part p has about shares[p] of the sum of all shares; none, where its share
  /// is 0. Where all weights are 0, each block row counts as much.
  ///
  /// Throws   ArgumentError where no share is positive, one is negative, or their sum is no finite number, naming it.
  static RowPartition by_shares(std::span<const std::int64_t> row_ptr, std::span<const double> shares);

  int num_parts() const { return static_cast<int>(offsets_.size()) - 1; }
  std::int64_t num_rows() const { return offsets_.back(); }
  std::int64_t begin(int part) const { return offsets_[static_cast<std::size_t>(part)]; }
  std::int64_t end(int part) const { return offsets_[static_cast<std::size_t>(part) + 1]; }
  std::int64_t size(int part) const { return end(part) - begin(part); }
  /// The part that has block row `row`.
  ///
  /// Throws   ArgumentError where there is no such row.
  int owner(std::int64_t row) const;
  const std::vector<std::int64_t>& offsets() const { return offsets_; }

  friend bool operator==(const RowPartition& a, const RowPartition& b) { return a.offsets_ == b.offsets_; }

 private:
  std::vector<std::int64_t> offsets_{0};
};

/// Collective. All ranks have the same partition, with a part for each of them.
///
/// Throws   ArgumentError on all ranks, in the name of `who`.
void check_partition(const Communicator& comm, const RowPartition& partition, std::string_view who);

}  // namespace ashlar
