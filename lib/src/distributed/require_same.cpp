#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/distributed/impl/require_same.hpp>
#include <cstddef>

namespace ashlar::impl {

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

}  // namespace

void require_same(const Communicator& comm, const std::string& who, const Claims& mine) {
  if (comm.is_alone()) return;
  std::string values;
  for (const auto& claim : mine) values += claim.second + "\n";
  const std::vector<std::string> all = comm.all_gather(values);
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank] == all[0]) continue;
    // Every rank has the claims of all, and finds the same difference.
    const std::vector<std::string> here = lines_of(all[rank]), first = lines_of(all[0]);
    std::size_t claim = 0;
    while (claim + 1 < mine.size() && here.at(claim) == first.at(claim)) ++claim;
    throw ArgumentError(
        text(who, ": ", mine[claim].first, " ", here.at(claim), " on rank ", rank, ", ", first.at(claim), " on rank 0"),
        "all ranks work on one system, in one way", "pass the same on all of them");
  }
}

}  // namespace ashlar::impl
