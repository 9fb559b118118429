#include <ashlar/halo/impl/peer_lists.hpp>

#include <ashlar/device/packets/flag.hpp>
#include <ashlar/halo/impl/exchange_backend.hpp>
#include <cstddef>

namespace ashlar::impl {

namespace {

constexpr std::int64_t flag_bytes = sizeof(SharedFlag);

std::int64_t rounded_up(std::int64_t bytes) { return (bytes + flag_bytes - 1) / flag_bytes * flag_bytes; }

}  // namespace

PeerRoutes::PeerRoutes(const Communicator& comm, const std::vector<NeighbourMessage>& to,
                       const std::vector<NeighbourMessage>& from, std::int64_t packet_bytes)
    : slots_begin_(static_cast<std::int64_t>(from.size() + to.size()) * flag_bytes),
      slot_bytes_(rounded_up(end_of(from))) {
  // Each rank tells its receivers where to raise the flag "taken", and its senders where to write.
  struct Offer {
    std::int64_t taken;
    bool has_words;
  };
  const auto has_words = [](const NeighbourMessage& message) {
    return message.begin % 4 == 0 && message.count % 4 == 0;
  };
  std::vector<std::vector<Offer>> for_receivers(static_cast<std::size_t>(comm.size()));
  for (std::size_t k = 0; k < to.size(); ++k) {
    for_receivers[static_cast<std::size_t>(to[k].rank)] = {
        {static_cast<std::int64_t>(from.size() + k) * flag_bytes, has_words(to[k])}};
  }
  const auto of_senders = comm.all_to_all(for_receivers);
  for (const NeighbourMessage& message : from) {
    const Offer& offer = of_senders[static_cast<std::size_t>(message.rank)].at(0);
    from_.push_back({offer.taken});
    const bool may_be_packets = offer.has_words && has_words(message);
    if (!may_be_packets || message.count == 0 || message.count > packet_bytes) continue;
    from_.back().packets = slots_begin_ + slot_bytes_;
    slot_bytes_ += rounded_up(2 * message.count);
  }
  segment_bytes_ = slots_begin_ + num_exchange_slots * slot_bytes_;
  std::vector<std::vector<To>> for_senders(static_cast<std::size_t>(comm.size()));
  for (std::size_t k = 0; k < from.size(); ++k) {
    const bool are_packets = from_[k].packets >= 0;
    for_senders[static_cast<std::size_t>(from[k].rank)] = {
        {from[k].count, are_packets ? from_[k].packets : slots_begin_ + from[k].begin, slot_bytes_,
         static_cast<std::int64_t>(k) * flag_bytes, are_packets}};
  }
  const auto of_receivers = comm.all_to_all(for_senders);
  for (const NeighbourMessage& message : to) to_.push_back(of_receivers[static_cast<std::size_t>(message.rank)].at(0));
  for (std::size_t k = 0; k < to.size(); ++k) {
    for (const std::int64_t number : {to[k].begin, to[k].count, to_[k].slots}) {
      while (number % word_bytes_ != 0) word_bytes_ = word_bytes_ == 16 ? 4 : 1;
    }
  }
}

std::int64_t PeerRoutes::arrived_flag(int from) const { return from * flag_bytes; }

std::int64_t PeerRoutes::taken_flag(int to) const {
  return (static_cast<std::int64_t>(from_.size()) + to) * flag_bytes;
}

}  // namespace ashlar::impl
