#include <ashlar/halo/row_partition.hpp>

#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <limits>
#include <utility>

namespace ashlar {

namespace {

void check_num_parts(int num_parts) {
  if (num_parts < 1) {
    throw ArgumentError(text("row partition: ", num_parts, " parts"), "there must be one at least",
                        "give as many as there are ranks");
  }
}

// total * part / num_parts, of which the product could be beyond 64 bits: whole, and the num_parts-th parts beyond.
struct Place {
  std::int64_t whole, parts_beyond;

  Place(std::int64_t total, int part, int num_parts) {
    const std::int64_t beyond = total % num_parts * part;
    whole = total / num_parts * part + beyond / num_parts;
    parts_beyond = beyond % num_parts;
  }
};

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
    throw ArgumentError(text("row partition: ", num_rows, " block rows"), "there are none of negative number",
                        "give the matrix' number of block rows");
  }
  std::vector<std::int64_t> offsets;
  for (int part = 0; part <= num_parts; ++part) offsets.push_back(Place(num_rows, part, num_parts).whole);
  return RowPartition(std::move(offsets));
}

RowPartition RowPartition::by_weights(std::span<const std::int64_t> weights, int num_parts) {
  std::vector<std::int64_t> sums(weights.size() + 1, 0);
  for (std::size_t row = 0; row < weights.size(); ++row) {
    if (weights[row] < 0) {
      throw ArgumentError(text("row partition: block row ", row, " has weight ", weights[row]),
                          "weights are not negative", "give what each block row costs");
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
  if (row_ptr.empty()) return even(0, num_parts);
  if (row_ptr.front() < 0) {
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
  const std::int64_t before = row_ptr.front(), total = row_ptr.back() - before;
  const auto num_rows = static_cast<std::int64_t>(row_ptr.size()) - 1;
  if (total == 0) return even(num_rows, num_parts);

  std::vector<std::int64_t> offsets{0};
  for (int part = 1; part < num_parts; ++part) {
    const Place place(total, part, num_parts);
    // The last row with less before it than that, and the next, which has as much or more.
    const auto above =
        std::lower_bound(row_ptr.begin(), row_ptr.end(), before + place.whole + (place.parts_beyond > 0));
    std::int64_t cut = above - row_ptr.begin();
    if (cut > 0) {
      // distance to the one below: lower + f; to the one above: upper - f; f = parts_beyond / num_parts.
      const std::int64_t lower = place.whole - (*(above - 1) - before), upper = *above - before - place.whole;
      const std::int64_t more = upper - lower;
      const std::int64_t twice_f = 2 * place.parts_beyond;
      if (more > 1 || (more == 1 && twice_f <= num_parts) || (more == 0 && twice_f == 0)) --cut;
    }
    offsets.push_back(cut);
  }
  offsets.push_back(num_rows);
  return RowPartition(std::move(offsets));
}

int RowPartition::owner(std::int64_t row) const {
  if (row < 0 || row >= num_rows()) {
    throw ArgumentError(text("row partition: the owner of block row ", row), text("there are ", num_rows()),
                        "ask for one from 0 on");
  }
  // The first part that begins behind it follows the one that has it: of those that begin at one row, the last.
  return static_cast<int>(std::upper_bound(offsets_.begin(), offsets_.end(), row) - offsets_.begin()) - 1;
}

}  // namespace ashlar
