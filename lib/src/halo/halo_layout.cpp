#include <ashlar/halo/impl/halo_layout.hpp>

#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <cstddef>
#include <numeric>

namespace ashlar::impl {

namespace {

void check_alike(const Communicator& comm, const HaloPlan& plan, const HaloEntries& entries) {
  comm.together([&] {
    if (entries.block_size < 1 || entries.num_vectors < 1) {
      throw ArgumentError(
          text("halo: an exchange of ", entries.num_vectors, " vectors with blocks of ", entries.block_size),
          "there must be at least one of each", "give the block size of the matrix, and the number of vectors");
    }
    if (plan.rank() != comm.rank() || plan.num_ranks() != comm.size()) {
      throw ArgumentError(text("halo: a plan of rank ", plan.rank(), " of ", plan.num_ranks(), " on rank ", comm.rank(),
                               " of ", comm.size()),
                          "a plan serves the ranks that made it",
                          "pass that communicator, or one split from it in the same order");
    }
  });
  comm.require_same("halo", {{"blocks of", text(entries.block_size)},
                             {"bytes of a scalar", text(entries.scalar_bytes)},
                             {"vectors", text(entries.num_vectors)}});
}

}  // namespace

HaloLayout::HaloLayout(const Communicator& comm, const HaloPlan& plan, const HaloEntries& entries) {
  check_alike(comm, plan, entries);
  const std::int64_t bytes = entries.bytes();
  packed_bytes = static_cast<std::int64_t>(plan.send_index().size()) * bytes;
  std::int64_t end = packed_bytes;
  for (const HaloPlan::Neighbour& neighbour : plan.to()) {
    const bool is_packed = neighbour.form == HaloForm::packed;
    to.push_back({neighbour.rank, is_packed ? neighbour.begin * bytes : end, neighbour.count * bytes});
    if (!is_packed) end += neighbour.count * bytes;
  }
  for (const HaloPlan::Neighbour& neighbour : plan.from()) {
    from.push_back({neighbour.rank, neighbour.begin * bytes, neighbour.count * bytes});
  }
}

EntrySums entry_sums(const HaloPlan& plan, std::int64_t entry_bytes) {
  EntrySums sums;
  std::vector<std::int64_t> entry_of;  // for each position among the received entries
  for (const HaloPlan::Neighbour& to : plan.to()) {
    sums.from.push_back({to.rank, std::int64_t(entry_of.size()) * entry_bytes, to.count * entry_bytes});
    for (std::int64_t i = 0; i < to.count; ++i) {
      entry_of.push_back(to.form == HaloForm::packed ? plan.send_index()[std::size_t(to.begin + i)] : to.first + i);
    }
  }
  sums.source.resize(entry_of.size());
  std::iota(sums.source.begin(), sums.source.end(), 0);
  // Messages are ordered by rank: a stable sort keeps that order within an entry.
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
