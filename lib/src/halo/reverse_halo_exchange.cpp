#include <ashlar/halo/reverse_halo_exchange.hpp>

#include <numeric>

namespace ashlar::impl {

EntrySums entry_sums(const HaloPlan& plan, std::int64_t entry_bytes) {
  EntrySums sums;
  std::vector<std::int64_t> entry_of;  // of each place among the entries received
  for (const HaloPlan::Neighbour& to : plan.to()) {
    sums.from.push_back({to.rank, std::int64_t(entry_of.size()) * entry_bytes, to.count * entry_bytes});
    for (std::int64_t i = 0; i < to.count; ++i) {
      entry_of.push_back(to.form == HaloForm::packed ? plan.send_index()[std::size_t(to.begin + i)] : to.first + i);
    }
  }
  sums.source.resize(entry_of.size());
  std::iota(sums.source.begin(), sums.source.end(), 0);
  // Messages lie by rank, so that a stable sort keeps the order of ranks within an entry.
  std::stable_sort(sums.source.begin(), sums.source.end(),
                   [&](std::int64_t a, std::int64_t b) { return entry_of[std::size_t(a)] < entry_of[std::size_t(b)]; });
  for (std::size_t s = 0; s < sums.source.size(); ++s) {
    const std::int64_t entry = entry_of[std::size_t(sums.source[s])];
    if (!sums.entry.empty() && sums.entry.back() == entry) continue;
    sums.entry.push_back(entry);
    sums.begin.push_back(std::int64_t(s));
  }
  sums.begin.push_back(std::int64_t(sums.source.size()));
  return sums;
}

}  // namespace ashlar::impl
