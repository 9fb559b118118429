#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/spmv/impl/choice/choose_launch.hpp>
#include <ashlar/spmv/impl/choice/launch_widths.hpp>
#include <ashlar/spmv/impl/launch/with_kernel.hpp>

namespace ashlar::impl {

namespace {

std::string microseconds(double seconds) { return text(rounded(seconds * 1e6), " us"); }

/// The grounds of the cost model: "27 blocks a row on average, 16.2 chunks for each of 15 busy lanes".
std::string grounds_of(const SpmvShape& shape, const SpmvDevice& device, const SpmvLaunch& launch) {
  return text(rounded(average_row(shape)), " blocks a row on average",
              with_kernel(launch.kernel, [&](auto k) { return k.grounds(shape, device, launch); }));
}

Decision by_cost_model(const SpmvShape& shape, const SpmvDevice& device) {
  Decision decision{choose_launch(shape, device, {}), ChosenBy::cost_model, ""};
  decision.grounds = "chosen by the cost model: " + grounds_of(shape, device, decision.launch);
  return decision;
}

Decision by_caller(const SpmvShape& shape, const SpmvDevice& device, const LaunchRequest& request) {
  Decision decision{choose_launch(shape, device, request), ChosenBy::caller, ""};
  const std::string grounds = grounds_of(shape, device, decision.launch);
  const bool is_kernel_alone = request.width == 0 && request.tile_rows == 0 && !request.prefetch_bytes;
  if (request.kernel == Kernel::automatic) {
    const bool has_width = request.width != 0 || request.tile_rows != 0;
    decision.grounds = text(has_width ? "width" : "prefetch distance",
                            " asked for by the caller, kernel chosen by the cost model: ", grounds);
  } else if (is_kernel_alone) {
    decision.grounds = "kernel asked for by the caller: " + grounds;
  } else {
    decision.grounds = "asked for by the caller: " + grounds;
  }
  return decision;
}

Decision by_measurement(const SpmvShape& shape, const SpmvDevice& device, const TuningChoice& measured) {
  if (measured.kernel == Kernel::automatic) {
    Decision decision = by_cost_model(shape, device);
    decision.chosen_by = ChosenBy::measurement;
    decision.grounds +=
        text("; tuned: nothing measured was faster than its ", microseconds(measured.default_seconds), " beyond noise");
    return decision;
  }
  if (measured.width != 0 && !is_width(shape, device, measured.width)) {
    throw ArgumentError(
        text("spmv: the tuning table has ", measured.width, " lanes a block row for this device"),
        text("it is a power of two up to ", device.warp, " here, or a multiple of that up to ", widest(shape)),
        "tune again, or leave the table out");
  }
  if (!serves(measured.kernel, shape, measured.width)) {
    Decision decision = by_cost_model(shape, device);
    decision.grounds += text("; the tuning table has ", to_string(measured.kernel), ", which cannot take this matrix");
    return decision;
  }
  return {choose_launch(shape, device, {measured.kernel, measured.width, measured.tile_rows, measured.prefetch_bytes}),
          ChosenBy::measurement,
          text("tuned: ", microseconds(measured.seconds), " measured, against ", microseconds(measured.default_seconds),
               " as the cost model would have it")};
}

}  // namespace

Decision decide(const SpmvShape& shape, const SpmvDevice& device, const LaunchRequest& request,
                const std::optional<TuningChoice>& measured) {
  LaunchRequest wanted = request;
  // It means nothing there, and is to keep nobody from a table.
  if (device.is_gpu) wanted.prefetch_bytes.reset();
  if (!wanted.is_free()) return by_caller(shape, device, wanted);
  return measured ? by_measurement(shape, device, *measured) : by_cost_model(shape, device);
}

namespace {

bool is_same(const SpmvLaunch& a, const SpmvLaunch& b) {
  return a.kernel == b.kernel && a.grouping.width == b.grouping.width && a.tile.rows == b.tile.rows &&
         a.prefetch_bytes == b.prefetch_bytes;
}

}  // namespace

std::vector<LaunchRequest> launch_candidates(const SpmvShape& shape, const SpmvDevice& device) {
  const SpmvLaunch model = choose_launch(shape, device, {});
  std::vector<LaunchRequest> candidates{{}};
  for (const Kernel kernel : all_kernels()) {
    const SpmvLaunch of_kernel = serves(kernel, shape, 0) ? choose_launch(shape, device, {kernel}) : SpmvLaunch();
    if (of_kernel.kernel != kernel) continue;  // nor where another stands in for it
    const auto requests = with_kernel(kernel, [&](auto k) {
      return device.is_gpu ? k.candidates(shape, device, of_kernel) : k.candidates_on_cpu(shape);
    });
    for (const LaunchRequest& request : requests) {
      if (!is_same(choose_launch(shape, device, request), model)) candidates.push_back(request);
    }
  }
  return candidates;
}

}  // namespace ashlar::impl
