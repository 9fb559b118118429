#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/device/packets/flag.hpp>
#include <ashlar/device/packets/time_limit.hpp>
#include <ashlar/halo/impl/peer_lists.hpp>
#include <ashlar/halo/outgoing_message.hpp>
#include <cstdint>
#include <desul/atomics.hpp>

namespace ashlar {

/// What a kernel sends with: NeighbourExchange hands it to kernels that pack. They write to the memory of the
/// neighbours where it is to be, and there is no copy between.
///
///     sends(team, k, 3, [&](const OutgoingMessage& to) {   // one of three teams that pack for the k-th neighbour
///       Kokkos::parallel_for(Kokkos::TeamThreadRange(team, begin, end), [&](int i) { to.put<double>(i, ...); });
///     });
///
/// A message goes as it is, and the last of its teams tells the neighbour, by a flag; or, a short one, as packets
/// (ExchangeOptions::packet_bytes): each four bytes have the number of the exchange beside them, and no flag is raised.
///
/// Async    a team waits where the neighbour has not yet read what came three exchanges before. Where that was in vain
///          nothing is written, and NeighbourExchange::check() throws.
class PeerSends {
 public:
  /// write(const OutgoingMessage&) writes this team's part of the message that goes to the neighbour of this place in
  /// the list. All threads of `num_teams` teams call this once an exchange, with the same number, one at least for each
  /// message.
  template <class Team, class Write>
  KOKKOS_FUNCTION void operator()(const Team& team, int message, int num_teams, const Write& write) const {
    const impl::PeerPut put = puts_[message];
    impl::PeerCount& count = counts_[message];
    std::uint64_t number = 0;
    Kokkos::single(
        Kokkos::PerTeam(team),
        [&](std::uint64_t& answer) {
          // (It is counted when all teams are done, and so not before this one has read it.)
          const std::uint64_t its = *skipped_ + load_shared(&count.exchanges) + 1;
          constexpr std::uint64_t slots = impl::num_exchange_slots;
          answer = its <= slots || impl::wait_for_flag(put.taken, its - slots, limit_) ? its : 0;
        },
        number);
    if (number == 0) return;
    write(OutgoingMessage(put.slots + impl::slot_of(number) * put.slot_bytes, put.is_packets,
                          static_cast<std::uint32_t>(number)));
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      const auto fence = [&] {
        if (!put.is_packets) desul::atomic_thread_fence(desul::MemoryOrderAcqRel(), desul::MemoryScopeNode());
      };
      fence();  // for the whole team, as it comes after the barrier
      if (!impl::is_last_of(count, num_teams)) return;
      if (num_teams > 1) fence();  // for the other teams
      store_shared(&count.exchanges, number - *skipped_);
      if (!put.is_packets) store_shared(&put.arrived->count, number);
    });
  }

  /// As NeighbourExchange makes it.
  PeerSends(const impl::PeerPut* puts, impl::PeerCount* counts, const std::uint64_t* skipped, const TimeLimit& limit)
      : puts_(puts), counts_(counts), skipped_(skipped), limit_(limit) {}

 private:
  const impl::PeerPut* puts_;  // by message
  impl::PeerCount* counts_;
  const std::uint64_t* skipped_;
  TimeLimit limit_;
};

}  // namespace ashlar
