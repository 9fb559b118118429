#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/device/memory/available_memory.hpp>
#include <ashlar/streaming/planner.hpp>
#include <numeric>

namespace ashlar::impl {

namespace {

/// The cost of starting a copy and a product, in bytes that the link could carry meanwhile: some 10 us.
constexpr double bytes_of_start = 1 << 19;

/// Kokkos' own header of an allocation, and what its end is rounded up to.
constexpr std::uint64_t bytes_of_allocation = 512;

/// A buffer of this size is sent at nearly the full rate of the link.
constexpr std::uint64_t comfortable_buffer = 16 << 20;

std::uint64_t bytes_of_vectors(const StreamedShape& shape, const StreamingOptions& options) {
  return std::uint64_t(shape.num_rows + shape.num_cols) * shape.vector_scalar_bytes *
         std::uint64_t(options.product.num_vectors);
}

class Estimator {
 public:
  Estimator(const StreamedShape& shape, const StreamingOptions& options,
            const std::function<std::vector<Subdivision>(int)>& cut)
      : shape_(shape), options_(options), cut_(cut) {}

  /// With the first num_resident subdivisions on the device for good.
  StreamingEstimate estimate(int num_subdivisions, bool structure_is_resident, int num_resident) const {
    return of_parts(cut_(num_subdivisions), structure_is_resident, num_resident);
  }

  /// With as many subdivisions on the device as the limit leaves room for, beside the buffers of the others.
  StreamingEstimate filled_up(const StreamingEstimate& empty, std::uint64_t limit) const {
    const std::vector<Subdivision> parts = cut_(empty.num_subdivisions);
    // More need more, as long as the largest of the others is not among them: a good number, if not always the largest.
    const int all = empty.num_subdivisions;
    if (const auto full = of_parts(parts, empty.structure_is_resident, all); full.device_bytes() <= limit) return full;
    int most = 0, too_many = all;
    while (too_many - most > 1) {
      const int middle = most + (too_many - most) / 2;
      const bool fits = of_parts(parts, empty.structure_is_resident, middle).device_bytes() <= limit;
      (fits ? most : too_many) = middle;
    }
    return of_parts(parts, empty.structure_is_resident, most);
  }

  /// The number of subdivisions that takes least time while copies or products are the bound: as many starts, and the
  /// first copy or last product, which nothing hides.
  int suitable_number(bool structure_is_resident) const {
    const double bytes = double(shape_.num_blocks) * double(bytes_of_sent_block(structure_is_resident));
    int best = 1;
    double least = bytes;
    for (int count = 2; count <= most_subdivisions() && count * bytes_of_start < least; ++count) {
      const std::vector<int> units = subdivision_units(count, options_.taper);
      const double share =
          double(std::min(units.front(), units.back())) / std::accumulate(units.begin(), units.end(), 0);
      const double cost = count * bytes_of_start + share * bytes;
      if (cost >= least) continue;
      best = count;
      least = cost;
    }
    return best;
  }

  /// Few subdivisions whose estimate is within the limit: no more than twice as many as are needed, or those whose
  /// estimate is least. A number asked for is the only one that is tried.
  StreamingEstimate within(std::uint64_t limit, bool structure_is_resident) const {
    const int resident = std::max(options_.num_resident, 0);
    if (options_.num_subdivisions > 0) return estimate(options_.num_subdivisions, structure_is_resident, resident);
    std::int64_t count = suitable_number(structure_is_resident);
    StreamingEstimate least = estimate(static_cast<int>(count), structure_is_resident, resident);
    while (least.device_bytes() > limit && count < most_subdivisions()) {
      // Twice as many at a time: no more than twice as many as are needed cost little.
      count = std::min<std::int64_t>(2 * count, most_subdivisions());
      const StreamingEstimate next = estimate(static_cast<int>(count), structure_is_resident, resident);
      if (next.device_bytes() < least.device_bytes()) least = next;
    }
    return least;
  }

  /// The least estimate for between half and twice as many subdivisions as `best` has: with more of them buffers are
  /// smaller, and there is more to know of them. Between two thirds of a range it is on the side of the lesser, but for
  /// how evenly rows can be cut; of a short range all are tried.
  StreamingEstimate least_near(const StreamingEstimate& best) const {
    const int num_resident = std::max(options_.num_resident, 0);
    StreamingEstimate least = best;
    const auto bytes_with = [&](int count) {
      const StreamingEstimate next = estimate(count, best.structure_is_resident, num_resident);
      if (next.device_bytes() < least.device_bytes()) least = next;
      return next.device_bytes();
    };
    int first = std::max(best.num_subdivisions / 2, 1), last = std::min(2 * best.num_subdivisions, most_subdivisions());
    // As many as take some tenths of a second.
    const int short_range = std::clamp(4'000'000 / last, 8, 1024);
    while (last - first > short_range) {
      const int third = (last - first) / 3;
      if (bytes_with(first + third) < bytes_with(last - third)) {
        last -= third;
      } else {
        first += third;
      }
    }
    for (int count = first; count <= last; ++count) bytes_with(count);
    return least;
  }

  int most_subdivisions() const {
    return static_cast<int>(std::clamp<std::int64_t>(shape_.num_block_rows, 1, 1 << 20));
  }

 private:
  StreamingEstimate of_parts(const std::vector<Subdivision>& parts, bool structure_is_resident,
                             int num_resident) const {
    StreamingEstimate result;
    result.num_subdivisions = static_cast<int>(parts.size());
    result.num_resident = std::min(num_resident, result.num_subdivisions);
    result.structure_is_resident = structure_is_resident;
    result.num_buffers = std::min(options_.num_buffers, result.num_subdivisions - result.num_resident);
    std::int64_t most = 0, sent = 0, resident = 0;
    for (int k = 0; k < result.num_subdivisions; ++k) {
      if (k < result.num_resident) {
        resident = parts[k].first_block + parts[k].num_blocks;
      } else {
        most = std::max(most, parts[k].num_sent());
        sent += parts[k].num_sent();
      }
    }
    const std::uint64_t block_bytes = bytes_of_sent_block(structure_is_resident);
    const std::uint64_t bytes_of_allocations = 2 * bytes_of_allocation;
    result.buffer_bytes =
        std::uint64_t(result.num_buffers) * (std::uint64_t(most) * block_bytes + bytes_of_allocations);
    result.resident_bytes = resident > 0 ? std::uint64_t(resident) * block_bytes + bytes_of_allocations : 0;
    result.sent_bytes = std::uint64_t(sent) * block_bytes;
    result.structure_bytes = (std::uint64_t(shape_.num_block_rows) + parts.size()) * shape_.offset_bytes +
                             shape_.plan_bytes + bytes_of_allocations +
                             (structure_is_resident ? std::uint64_t(shape_.num_blocks) * shape_.ordinal_bytes : 0);
    result.vector_bytes = bytes_of_vectors(shape_, options_);
    return result;
  }

  std::uint64_t bytes_of_sent_block(bool structure_is_resident) const {
    return std::uint64_t(shape_.block_shape.num_values()) * shape_.scalar_bytes +
           (structure_is_resident ? 0 : shape_.ordinal_bytes);
  }

  const StreamedShape& shape_;
  const StreamingOptions& options_;
  const std::function<std::vector<Subdivision>(int)>& cut_;
};

void check(const StreamingOptions& options) {
  if (options.num_subdivisions < 0 || options.num_subdivisions > 1 << 20) {
    throw ArgumentError(text("streaming: ", options.num_subdivisions, " subdivisions"),
                        text("there are 1 to ", 1 << 20, ", or 0 for as many as suit"), "pass 0");
  }
  if (options.num_buffers < 1) {
    throw ArgumentError(text("streaming: ", options.num_buffers, " buffers"),
                        "a subdivision must be on the device to be multiplied by",
                        "pass 2 or more: with one, nothing is sent while the device computes");
  }
  if (options.num_readers < 0 || options.num_readers > 1024) {
    throw ArgumentError(text("streaming: ", options.num_readers, " threads that read"),
                        "they are 1 to 1024, or 0 for as many as suit", "pass 0");
  }
  if (options.product.num_vectors < 1) {
    throw ArgumentError(text("streaming: products with ", options.product.num_vectors, " vectors"),
                        "there is one at least", "leave num_vectors at 1 if products are with single vectors");
  }
  if (options.num_resident < -1) {
    throw ArgumentError(text("streaming: ", options.num_resident, " subdivisions that stay on the device"),
                        "they are a number, or -1 for as many as there is room for", "pass -1");
  }
  if (!is_finite(options.host_share) || options.host_share < 0 || options.host_share > 1) {
    throw ArgumentError(text("streaming: a share of ", options.host_share, " for the host"),
                        "it is of the blocks, from 0 to 1", "pass 0 to leave all of them to the device");
  }
  if (is_transposed(options.product.mode)) {
    throw ArgumentError(text("streaming: products with ", symbol_of(options.product.mode)),
                        "subdivisions are block rows of A", "stream A^T itself as a matrix of its own");
  }
}

}  // namespace

MemoryError StreamingLimit::error(std::uint64_t needed, const std::string& problem, const std::string& remedy) const {
  if (is_callers) {
    return {needed, bytes, problem, "the limit is " + bytes_text(bytes), "raise the limit to that, or " + remedy};
  }
  return {needed, bytes, problem, text("the device has ", bytes_text(bytes), " free for it"),
          remedy + ", or take a device with more memory"};
}

StreamingLimit streaming_limit(const StreamingOptions& options, std::uint64_t available) {
  const std::uint64_t plannable = plannable_bytes(available);
  const bool is_callers = options.device_memory_limit > 0 && options.device_memory_limit <= plannable;
  return {is_callers ? options.device_memory_limit : plannable, is_callers};
}

StreamingEstimate estimate_streaming(const StreamedShape& shape, const StreamingOptions& options,
                                     std::uint64_t available, const std::function<std::vector<Subdivision>(int)>& cut) {
  check(options);
  const StreamingLimit within = streaming_limit(options, available);
  const std::uint64_t limit = within.bytes;
  const Estimator estimator(shape, options, cut);
  StreamingEstimate result = estimator.within(limit, options.structure != StructurePlacement::streamed);
  if (options.structure == StructurePlacement::automatic) {
    const bool has_small_buffers =
        result.buffer_bytes < comfortable_buffer * std::uint64_t(result.num_buffers) &&
        result.num_subdivisions > std::max(options.num_subdivisions, estimator.suitable_number(true));
    if (result.device_bytes() > limit || has_small_buffers) {
      const StreamingEstimate streamed = estimator.within(limit, false);
      if (streamed.device_bytes() <= std::max(limit, result.device_bytes())) result = streamed;
    }
  }
  if (result.device_bytes() > limit && options.num_subdivisions == 0) result = estimator.least_near(result);
  if (result.device_bytes() <= limit) {
    return options.num_resident < 0 ? estimator.filled_up(result, limit) : result;
  }
  throw within.error(
      result.device_bytes(),
      text("streaming: ", result.num_subdivisions, " subdivisions in ", result.num_buffers, " buffers need ",
           bytes_text(result.device_bytes()), " of device memory, of which ", bytes_text(result.vector_bytes),
           " are vectors"),
      options.num_subdivisions > 0 ? "leave the number of subdivisions open" : "multiply fewer vectors at a time");
}

StreamingEstimate estimate_in_place(const StreamedShape& shape, const StreamingOptions& options) {
  check(options);
  StreamingEstimate result;
  result.num_subdivisions = options.num_subdivisions > 0 ? options.num_subdivisions : 1;
  result.vector_bytes = bytes_of_vectors(shape, options);
  return result;
}

}  // namespace ashlar::impl
