#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/device/memory/available_memory.hpp>
#include <ashlar/streaming/impl/structure.hpp>
#include <ashlar/streaming/planner.hpp>
#include <ashlar/streaming/subdivision.hpp>
#include <cmath>
#include <iomanip>
#include <optional>
#include <utility>

namespace ashlar {

std::string to_string(Taper taper) {
  switch (taper) {
    case Taper::none:
      return "none";
    case Taper::front:
      return "front";
    case Taper::back:
      return "back";
    case Taper::both:
      return "both";
  }
  return "unknown";
}

std::vector<int> subdivision_units(int count, Taper taper) {
  std::vector<int> units(count, 1);
  constexpr int first = 4, most = 8 * first, most_tapered = 1024;
  if (taper == Taper::none || count > most_tapered) return units;
  int size = first;
  const int grown = taper == Taper::both ? (count + 1) / 2 : count;
  for (int k = 0; k < grown; ++k) {
    if (taper != Taper::back) units[k] = size;
    if (taper != Taper::front) units[count - 1 - k] = size;
    size = std::min(size + size / 4, most);
  }
  return units;
}

namespace {

/// Three digits and a unit.
std::string in_units(double value, double unit, const char* name) {
  return text(std::setprecision(3), value / unit, ' ', name);
}

std::string milliseconds(double seconds) { return in_units(seconds, 1e-3, "ms"); }
std::string rate(double bytes_per_second) { return in_units(bytes_per_second, 1e9, "GB/s"); }

}  // namespace

std::string StreamingPlan::explain() const {
  if (figures.link_bytes_per_second == 0) {
    return text(
        estimate.resident_bytes > 0 ? "all of the matrix stays on the device" : "host and device are one memory",
        ": there is nothing to plan; a product takes ", milliseconds(seconds));
  }
  const double block_bytes = double(estimate.host_bytes + estimate.resident_bytes + estimate.sent_bytes);
  std::string result =
      text("a product takes ", milliseconds(seconds), ": the link is busy for ", milliseconds(link_seconds),
           ", the device for ", milliseconds(device_seconds), ", the host for ", milliseconds(host_seconds), "; of ",
           in_units(block_bytes, 1e9, "GB"), " ", in_units(double(estimate.resident_bytes), 1e9, "GB"),
           " stay on the device, ", in_units(double(estimate.sent_bytes), 1e9, "GB"), " are sent (",
           estimate.num_subdivisions, " subdivisions, ", estimate.num_buffers, " buffers), ",
           in_units(double(estimate.host_bytes), 1e9, "GB"), " the host multiplies; measured: link ",
           rate(figures.link_bytes_per_second), ", ", in_units(figures.copy_start_seconds, 1e-6, "us"),
           " a copy besides; products ", in_units(figures.block_seconds, 1e-9, "ns"), " a block, ",
           in_units(figures.product_start_seconds, 1e-6, "us"), " besides; to enqueue both ",
           in_units(figures.enqueue_seconds, 1e-6, "us"));
  if (figures.host_block_seconds > 0) {
    result += text("; the host ", in_units(figures.host_block_seconds, 1e-9, "ns"), " a block, beside copies ",
                   in_units(figures.host_block_seconds_beside, 1e-9, "ns"), ", when the link has ",
                   rate(figures.link_bytes_per_second_beside));
  }
  return result;
}

namespace impl {

namespace {

/// How long link and host are busy when they begin together, and disturb each other while both are.
struct Together {
  double link = 0, host = 0;
};

Together together(double bytes, double blocks, const StreamingFigures& figures) {
  const double link_beside = bytes / figures.link_bytes_per_second_beside;
  const double host_beside = blocks * figures.host_block_seconds_beside;
  if (link_beside <= host_beside) {
    const double left = blocks - link_beside / figures.host_block_seconds_beside;
    return {link_beside, link_beside + left * figures.host_block_seconds};
  }
  const double left = bytes - host_beside * figures.link_bytes_per_second_beside;
  return {host_beside + left / figures.link_bytes_per_second, host_beside};
}

}  // namespace

StreamingPlan predict(const StreamedWork& work, const StreamingFigures& figures) {
  const StreamingEstimate& estimate = work.estimate;
  const int resident = std::min(estimate.num_resident, 1), count = static_cast<int>(work.parts.size());
  const int buffers = std::max(estimate.num_buffers, 1);
  const auto bytes_of = [&](int k) { return double(work.parts[k].num_sent()) * double(work.bytes_of_sent_block); };
  // Buffers that have room for all that is sent keep it.
  const bool sends = figures.link_bytes_per_second > 0 && count - resident > buffers;
  double bytes = 0;
  for (int k = resident; k < count && sends; ++k) bytes += bytes_of(k);
  const bool has_host = figures.host_block_seconds > 0 && figures.link_bytes_per_second > 0 && work.host_blocks > 0;
  // The host enqueues the first subdivisions, and then multiplies piece by piece, and enqueues between them.
  const HostPieces pieces{count, estimate.host_bytes};
  const double enqueuing = count * figures.enqueue_seconds;
  const double enqueuing_first = std::min(count, HostPieces::first) * figures.enqueue_seconds;
  // The host waits only for the x of its first piece; only the y of its last piece is not hidden.
  double link_rate = figures.link_bytes_per_second, multiplying = 0, piece_vector_seconds = 0;
  if (has_host) {
    // The host's part of y is sent in the direction of the blocks, its part of x in the other direction.
    const double vector_bytes = double(work.host_vector_bytes);
    const Together busy = together(bytes + vector_bytes, double(work.host_blocks), figures);
    multiplying = busy.host;
    piece_vector_seconds = vector_bytes / figures.link_bytes_per_second / pieces.count();
    if (bytes > 0) link_rate = bytes / busy.link;
  }

  StreamingPlan result;
  result.estimate = estimate;
  result.figures = figures;
  if (has_host) {
    result.host_seconds =
        std::max(2 * piece_vector_seconds, enqueuing_first) + multiplying + enqueuing - enqueuing_first;
  }
  // Three passes: what the last adds is what a product takes in the long run.
  constexpr int passes = 3;
  double link_free = 0, device_free = 0, pass_begin = 0, sent_ahead = 0, end = 0, end_before = 0;
  std::vector<double> buffer_free(buffers, 0.0);
  for (int pass = 0; pass < passes; ++pass) {
    end_before = end;
    double link_busy = 0, device_busy = 0;
    // x leaves the device when the product before has ended.
    const double x_arrives = has_host ? std::max(pass_begin, end_before) + piece_vector_seconds : pass_begin;
    const double waiting = std::max(x_arrives - pass_begin - enqueuing_first, 0.0);
    const auto enqueued_at = [&](int k) {
      const int before = has_host ? pieces.before(k) : 0;
      const double of_host = before > 0 ? waiting + multiplying * before / pieces.count() : 0;
      return pass_begin + of_host + (k + 1) * figures.enqueue_seconds;
    };
    // The host's last results are on the device by then.
    device_free = end;
    for (int k = 0; k < count; ++k) {
      double ready = enqueued_at(k);
      if (k >= resident && sends) {
        double& free = buffer_free[(k - resident) % buffers];
        // The first copies are enqueued when the product before is.
        const double enqueued = k - resident < buffers && pass > 0 ? sent_ahead : enqueued_at(k);
        const double seconds = figures.copy_start_seconds + bytes_of(k) / link_rate;
        ready = link_free = std::max({link_free, free, enqueued}) + seconds;
        link_busy += seconds;
      }
      const double seconds = figures.product_start_seconds + double(work.parts[k].num_blocks) * figures.block_seconds;
      device_free = std::max(device_free, ready) + seconds;
      device_busy += seconds;
      if (k >= resident && sends) buffer_free[(k - resident) % buffers] = device_free;
    }
    const double multiplied = pass_begin + waiting + multiplying + enqueuing;
    // A host that multiplies faster than its vectors travel waits for the vectors of all pieces.
    const double travelled =
        pass_begin + waiting + multiplying / pieces.count() + pieces.count() * piece_vector_seconds;
    end = has_host ? std::max({device_free, multiplied + piece_vector_seconds, travelled}) : device_free;
    result.link_seconds = link_busy;
    result.device_seconds = device_busy;
    sent_ahead = enqueued_at(count - 1);
    // The host enqueues the next product when it has multiplied; without a share of its own, immediately.
    pass_begin = multiplied;
  }
  result.seconds = end - end_before;
  return result;
}

StreamingPlan plan(const StreamingOptions& options, const StreamingFigures& figures, double most_host_share,
                   const std::function<StreamedWork(const StreamingOptions&)>& work_of) {
  Taper taper = options.taper;
  const auto with = [&](double host_share, int num_subdivisions) {
    StreamingOptions candidate = options;
    candidate.taper = taper;
    candidate.host_share = host_share;
    candidate.num_subdivisions = num_subdivisions;
    const StreamedWork work = work_of(candidate);
    StreamingPlan result = predict(work, figures);
    result.options = candidate;
    result.options.num_subdivisions = work.estimate.num_subdivisions;
    result.options.structure =
        work.estimate.structure_is_resident ? StructurePlacement::resident : StructurePlacement::streamed;
    return result;
  };
  StreamingPlan best = with(0, options.num_subdivisions);
  const auto try_also = [&](double host_share, int num_subdivisions) -> std::optional<StreamingPlan> {
    try {
      const StreamingPlan candidate = with(host_share, num_subdivisions);
      if (candidate.seconds < best.seconds) best = candidate;
      return candidate;
    } catch (const MemoryError&) {
      return std::nullopt;  // buffers too large for the limit
    }
  };
  // The larger its share the later the host is ready, and the sooner the device: they are to be ready together.
  const auto balance = [&](int num_subdivisions) {
    try_also(0, num_subdivisions);
    if (figures.host_block_seconds <= 0 || most_host_share <= 0) return;
    double less = 0, more = std::min(most_host_share, 1.0);
    try_also(more, num_subdivisions);
    for (int step = 0; step < 12; ++step) {
      const double middle = (less + more) / 2;
      const auto candidate = try_also(middle, num_subdivisions);
      // The host's share needs no room on the device.
      const bool host_is_late = candidate && candidate->host_seconds >= candidate->seconds * 0.999;
      (host_is_late ? more : less) = middle;
    }
  };
  balance(options.num_subdivisions);
  if (options.num_subdivisions > 0) return best;
  // Which end nothing hides depends on whether link or device is the bound.
  for (const Taper other : {Taper::front, Taper::back, Taper::none}) {
    const double before = best.seconds;
    const Taper usual = std::exchange(taper, other);
    try_also(best.options.host_share, 0);
    if (best.seconds >= before) taper = usual;
  }
  // From the number that suits most machines on. Each has a share of its own: where starts take long, the host is to
  // have more beside many subdivisions than beside few.
  for (bool better = true; better;) {
    const double before = best.seconds;
    const int count = best.options.num_subdivisions;
    for (const int number : {count / 2, count * 3 / 4, count * 3 / 2, count * 2}) {
      if (number >= 1 && number <= 1 << 20) balance(number);
    }
    better = best.seconds < 0.998 * before;
  }
  return best;
}

}  // namespace impl

}  // namespace ashlar
