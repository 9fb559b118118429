#include <ashlar/halo/row_partition.hpp>

#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/communicator.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace ashlar {

namespace {

void check_num_parts(int num_parts) {
  if (num_parts < 1) {
    throw ArgumentError(text("row partition: ", num_parts, " parts"), "there must be at least one",
                        "give as many as there are ranks");
  }
}

/// A place between block rows as the weight before it: `whole`, and a fraction `beyond`.
struct Place {
  std::int64_t whole;
  double beyond;
};

/// total * part / num_parts. The product itself may exceed 64 bits.
Place even_place(std::int64_t total, int part, int num_parts) {
  const std::int64_t beyond = total % num_parts * part;
  return {total / num_parts * part + beyond / num_parts, double(beyond % num_parts) / num_parts};
}

/// total * share, for a share less than 1.
Place place_of_share(std::int64_t total, double share) {
  double whole = 0;
  const double beyond = std::modf(double(total) * share, &whole);
  return {static_cast<std::int64_t>(whole), beyond};
}

/// Throws   ArgumentError if row_ptr holds no row pointers.
void check_row_ptr(std::span<const std::int64_t> row_ptr) {
  if (!row_ptr.empty() && row_ptr.front() < 0) {
    throw ArgumentError(text("row partition: row pointers that begin with ", row_ptr.front()),
                        "they count what lies before a block row", "give the matrix' row pointers");
  }
  for (std::size_t row = 1; row < row_ptr.size(); ++row) {
    if (row_ptr[row] < row_ptr[row - 1]) {
      throw ArgumentError(
          text("row partition: block row ", row - 1, " ends at ", row_ptr[row], " and begins at ", row_ptr[row - 1]),
          "row pointers never decrease", "give the matrix' row pointers");
    }
  }
}

/// The block row whose begin is nearest to a place.
std::int64_t row_nearest_to(std::span<const std::int64_t> row_ptr, const Place& place) {
  const std::int64_t before = row_ptr.front();
  // `above` is the first row with at least that weight before it; the row before it has less.
  const auto above = std::lower_bound(row_ptr.begin(), row_ptr.end(), before + place.whole + (place.beyond > 0));
  const std::int64_t row = above - row_ptr.begin();
  if (row == 0) return row;
  // The distance to the row below is lower + beyond, to the row above upper - beyond.
  const std::int64_t lower = place.whole - (*(above - 1) - before), upper = *above - before - place.whole;
  const std::int64_t more = upper - lower;
  const bool is_below = more > 1 || (more == 1 && place.beyond <= 0.5) || (more == 0 && place.beyond == 0);
  return is_below ? row - 1 : row;
}

}  // namespace

RowPartition::RowPartition(std::vector<std::int64_t> offsets) : offsets_(std::move(offsets)) {
  if (offsets_.empty() || offsets_.front() != 0) {
    const std::string first = offsets_.empty() ? "no offsets" : text("offsets that begin with ", offsets_.front());
    throw ArgumentError(text("row partition: ", first), "the first part begins with block row 0",
                        "give the first block row of each part, and the number of all");
  }
  for (std::size_t i = 1; i < offsets_.size(); ++i) {
    if (offsets_[i] < offsets_[i - 1]) {
      throw ArgumentError(
          text("row partition: offset ", i, " is ", offsets_[i], ", and the one before ", offsets_[i - 1]),
          "parts are contiguous and in order", "give offsets that never decrease");
    }
  }
}

RowPartition RowPartition::even(std::int64_t num_rows, int num_parts) {
  check_num_parts(num_parts);
  if (num_rows < 0) {
    throw ArgumentError(text("row partition: ", num_rows, " block rows"), "a number of rows is not negative",
                        "give the matrix' number of block rows");
  }
  std::vector<std::int64_t> offsets;
  for (int part = 0; part <= num_parts; ++part) offsets.push_back(even_place(num_rows, part, num_parts).whole);
  return RowPartition(std::move(offsets));
}

RowPartition RowPartition::by_weights(std::span<const std::int64_t> weights, int num_parts) {
  std::vector<std::int64_t> sums(weights.size() + 1, 0);
  for (std::size_t row = 0; row < weights.size(); ++row) {
    if (weights[row] < 0) {
      throw ArgumentError(text("row partition: block row ", row, " has weight ", weights[row]),
                          "weights are not negative", "give the cost of each block row");
    }
    if (weights[row] > std::numeric_limits<std::int64_t>::max() - sums[row]) {
      throw ArgumentError(text("row partition: with block row ", row, " the weights are beyond 64 bits"),
                          text("those before add up to ", sums[row], ", and it has ", weights[row]),
                          "give smaller weights: only their ratios count");
    }
    sums[row + 1] = sums[row] + weights[row];
  }
  return by_row_ptr(sums, num_parts);
}

RowPartition RowPartition::by_row_ptr(std::span<const std::int64_t> row_ptr, int num_parts) {
  check_num_parts(num_parts);
  check_row_ptr(row_ptr);
  if (row_ptr.empty()) return even(0, num_parts);
  const std::int64_t total = row_ptr.back() - row_ptr.front();
  const auto num_rows = static_cast<std::int64_t>(row_ptr.size()) - 1;
  if (total == 0) return even(num_rows, num_parts);

  std::vector<std::int64_t> offsets{0};
  for (int part = 1; part < num_parts; ++part) {
    offsets.push_back(row_nearest_to(row_ptr, even_place(total, part, num_parts)));
  }
  offsets.push_back(num_rows);
  return RowPartition(std::move(offsets));
}

RowPartition RowPartition::by_shares(std::span<const std::int64_t> row_ptr, std::span<const double> shares) {
  check_row_ptr(row_ptr);
  // Running sums. Each is divided by the last, so that the cut is exactly 1 if only shares of 0 follow.
  std::vector<double> before{0};
  for (std::size_t part = 0; part < shares.size(); ++part) {
    before.push_back(before.back() + shares[part]);
    if (!(shares[part] >= 0) || !is_finite(before.back())) {
      throw ArgumentError(text("row partition: part ", part, " has share ", shares[part]),
                          "shares are not negative, and their sum is finite", "give the relative speed of each rank");
    }
  }
  if (before.back() == 0) {
    throw ArgumentError(text("row partition: ", shares.size(), " shares, none of them positive"),
                        "the block rows need an owner", "give each rank a share, and at least one that is positive");
  }
  const auto num_rows = static_cast<std::int64_t>(row_ptr.empty() ? 0 : row_ptr.size() - 1);
  if (num_rows > 0 && row_ptr.back() == row_ptr.front()) {
    std::vector<std::int64_t> alike(row_ptr.size());
    std::iota(alike.begin(), alike.end(), std::int64_t(0));
    return by_shares(alike, shares);
  }

  std::vector<std::int64_t> offsets{0};
  for (std::size_t part = 1; part < shares.size(); ++part) {
    const double share = before[part] / before.back();
    // Rows without weight at the end belong to the last part that has a share.
    const bool is_end = share >= 1 || num_rows == 0;
    offsets.push_back(is_end ? num_rows
                             : row_nearest_to(row_ptr, place_of_share(row_ptr.back() - row_ptr.front(), share)));
  }
  offsets.push_back(num_rows);
  return RowPartition(std::move(offsets));
}

int RowPartition::owner(std::int64_t row) const {
  if (row < 0 || row >= num_rows()) {
    throw ArgumentError(text("row partition: the owner of block row ", row), text("there are ", num_rows()),
                        "ask for one from 0 on");
  }
  // The owner precedes the first part that begins after the row. If several parts begin at one row, the last of them is
  // not empty.
  return static_cast<int>(std::upper_bound(offsets_.begin(), offsets_.end(), row) - offsets_.begin()) - 1;
}

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
                          text("there are ", comm.size(), " ranks, and each has a part, which may be empty"),
                          "partition the block rows for as many ranks");
    }
    if (!(all[rank] == all[0])) {
      throw ArgumentError(
          text(who, ": rank ", rank, " has another partition than rank 0"),
          text("it has ", all[rank].num_rows, " block rows, rank 0 has ", all[0].num_rows, ", or the cuts differ"),
          "make it from the same numbers on all ranks");
    }
  }
}

}  // namespace ashlar
