#include <ashlar/halo/measure_halo.hpp>

#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/measure_links.hpp>
#include <cstddef>
#include <vector>

namespace ashlar::impl {

void check_same_options(const Communicator& comm, const HaloOptions& options) {
  comm.together([&] {
    if (options.entry_bytes >= 1) return;
    throw ArgumentError(text("measure_halo: entries of ", options.entry_bytes, " bytes"),
                        "an entry has a byte at least", "give the bytes of a block entry, of all vectors");
  });
  comm.require_same("measure_halo", {{"bytes of an entry", text(options.entry_bytes)},
                                     {"buffers", std::string(to_string(options.buffers))}});
}

MeasuredCosts measure_messages(const Communicator& comm, const void* to, void* from) {
  const Communicator own = comm.duplicate();
  MeasuredCosts mine;
  // First ranks 0 and 1, 2 and 3, and so on; then 1 and 2, 3 and 4, and so on. The messages of one round go
  // simultaneously.
  for (int first = 0; first < 2; ++first) {
    const bool begins = own.rank() % 2 == first;
    const int other = begins ? own.rank() + 1 : own.rank() - 1;
    own.barrier();
    if (other < 0 || other >= own.size()) continue;
    const double small = ping_pong_seconds(own, other, begins, to, from, std::size_t(probe_small_bytes), 20);
    const double large = ping_pong_seconds(own, other, begins, to, from, std::size_t(probe_bytes), 4);
    if (begins) mine = {small, large};
  }
  return mine;
}

MeasuredCosts agree_on_costs(const Communicator& comm, const MeasuredCosts& mine) {
  const std::vector<MeasuredCosts> all = comm.all_gather(mine);
  const auto median = [&](double MeasuredCosts::*cost) {
    std::vector<double> measured;
    for (const MeasuredCosts& its : all) {
      if (its.*cost > 0) measured.push_back(its.*cost);
    }
    std::sort(measured.begin(), measured.end());
    // A clock that did not move measures nothing.
    return measured.empty() ? 1e-9 : measured[measured.size() / 2];
  };
  return {median(&MeasuredCosts::small_seconds), median(&MeasuredCosts::large_seconds),
          median(&MeasuredCosts::pack_small_seconds), median(&MeasuredCosts::pack_large_seconds)};
}

}  // namespace ashlar::impl
