#include <algorithm>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/direct_messages.hpp>
#include <cstddef>
#include <exception>
#include <string>
#include <vector>

namespace ashlar::impl {

namespace {

using Allocate = std::function<std::unique_ptr<TrialMemory>()>;

constexpr int num_rounds = 2;
constexpr std::uint32_t nothing_came = 0xffffffffU;

/// One rank's side of the trial messages of a group.
class Trial {
 public:
  Trial(const Communicator& comm, const Allocate& allocate)
      : comm_(comm.duplicate()), to_(comm.together(allocate)), from_(comm.together(allocate)) {
    const int ranks = comm_.size();
    rings_.push_back({(comm_.rank() + 1) % ranks, (comm_.rank() + ranks - 1) % ranks});
    // Messages within a host and messages between hosts go different ways, and the ring of all ranks may have only one
    // kind.
    const std::vector<std::string> hosts = comm_.all_gather(comm_.transport().host_name());
    const auto beside = [&](int step) {
      int other = comm_.rank();
      do other = (other + ranks + step) % ranks;
      while (hosts[std::size_t(other)] != hosts[std::size_t(comm_.rank())]);
      return other;
    };
    const Ring here{beside(1), beside(-1)};
    if (comm_.transport().num_hosts() > 1 && here.to != comm_.rank()) rings_.push_back(here);
  }

  /// The fault of messages of the size trial_bytes[size] on any rank: the same text on all; "" if they are right.
  std::string fault(std::size_t size) {
    std::string mine;
    for (std::size_t ring = 0; ring < rings_.size(); ++ring) {
      try {
        const std::string found = fault(size, ring);
        if (mine.empty()) mine = found;
      } catch (const std::exception& error) {
        if (mine.empty()) mine = text("failed: ", error.what());
      }
    }
    const std::vector<std::string> all = comm_.all_gather(mine);
    const auto first = std::find_if(all.begin(), all.end(), [](const std::string& its) { return !its.empty(); });
    return first == all.end() ? "" : text(*first, ", on rank ", first - all.begin());
  }

 private:
  struct Ring {
    int to, from;
  };

  /// A different message for each sender, ring, size and round.
  static std::uint32_t seed(int sender, std::size_t ring, std::size_t size, int round) {
    const std::size_t number = (std::size_t(sender) * 2 + ring) * trial_bytes.size() + size;
    return static_cast<std::uint32_t>(1 + number * num_rounds + std::size_t(round));
  }

  std::string fault(std::size_t size, std::size_t ring) {
    const std::int64_t bytes = trial_bytes[size];
    const int tag = static_cast<int>(ring), to = rings_[ring].to, from = rings_[ring].from;
    const auto send = comm_.send(to_->data(), std::size_t(bytes), to, tag);
    const auto receive = comm_.receive(from_->data(), std::size_t(bytes), from, tag);
    std::int64_t wrong = 0;
    // Twice with the same buffers: a library that caches the first message must not send it as the second.
    for (int round = 0; round < num_rounds; ++round) {
      to_->fill(seed(comm_.rank(), ring, size, round), bytes);
      from_->fill(nothing_came, bytes);
      receive->start();
      send->start();
      receive->wait();
      send->wait();
      wrong += from_->num_wrong(seed(from, ring, size, round), bytes);
    }
    return wrong == 0 ? "" : text("came back wrong at ", bytes, " bytes");
  }

  Communicator comm_;
  std::unique_ptr<TrialMemory> to_, from_;
  std::vector<Ring> rings_;
};

DirectMessages try_messages(const Communicator& comm, const Allocate& allocate) {
  Trial trial(comm, allocate);
  for (std::size_t size = 0; size < trial_bytes.size(); ++size) {
    const std::string fault = trial.fault(size);
    if (!fault.empty()) return {false, text("tried, and ", fault)};
  }
  return {true, text("tried with ", trial_bytes.front(), " to ", trial_bytes.back(), " bytes")};
}

}  // namespace

DirectMessages find_direct_messages(const Communicator& comm, MemoryKind kind, const Allocate& allocate) {
  struct Claim {
    Reach reach;
    MemoryKind kind;
    bool is_remembered;
  };
  const std::vector<Claim> claims =
      comm.all_gather(Claim{comm.transport().reach(kind), kind, comm.direct_messages(kind) != nullptr});
  const auto all = [&](const auto& holds) { return std::all_of(claims.begin(), claims.end(), holds); };
  if (comm.is_alone() || all([](const Claim& its) { return its.reach == Reach::certain; })) {
    return {true, comm.is_alone() ? "there is no other rank" : "as this transport is made"};
  }
  if (all([](const Claim& its) { return its.is_remembered; })) return *comm.direct_messages(kind);

  const auto none =
      std::find_if(claims.begin(), claims.end(), [](const Claim& its) { return its.reach == Reach::none; });
  const DirectMessages found =
      none == claims.end()
          ? try_messages(comm, allocate)
          : DirectMessages{false, text(comm.transport().name(), " does not say on rank ", none - claims.begin(),
                                       " that it takes ", to_string(none->kind), " memory")};
  comm.remember(kind, found);
  return found;
}

}  // namespace ashlar::impl
