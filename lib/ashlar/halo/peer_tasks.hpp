#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/device/packets/flag.hpp>
#include <ashlar/device/packets/time_limit.hpp>
#include <ashlar/halo/impl/peer_lists.hpp>
#include <ashlar/halo/peer_messages.hpp>
#include <cstdint>
#include <desul/atomics.hpp>

namespace ashlar {

/// Tasks of an exchange's kernel (NeighbourExchange::exchange_by()): a team for each task, from 0 to count - 1. All
/// threads of the team call the body: body(team, task, const PeerSends&) to pack, body(team, task, const PeerReceives&)
/// to take, body(team, task) for work without messages.
template <class Body>
struct PeerTasks {
  int count = 0;
  Body body = {};
};

/// For an exchange without such tasks.
struct NoPeerTask {
  template <class Team, class... Peers>
  KOKKOS_FUNCTION void operator()(const Team&, int, const Peers&...) const {}
};

/// Sends messages from a kernel. NeighbourExchange passes it to kernels that pack. They write straight to the memory of
/// the neighbours.
///
///     sends(team, k, 3, [&](const OutgoingMessage& to) {   // one of three teams that pack for the k-th neighbour
///       Kokkos::parallel_for(Kokkos::TeamThreadRange(team, begin, end), [&](int i) { to.put<double>(i, ...); });
///     });
///
/// The last team of a message raises a flag at the neighbour. A short message goes as packets instead
/// (ExchangeOptions::packet_bytes): each four bytes have the number of the exchange beside them, and no flag is raised.
///
/// Async    a team waits until the neighbour has read the message of three exchanges before. After the time limit
///          nothing is written, and NeighbourExchange::check() throws.
class PeerSends {
 public:
  /// write(const OutgoingMessage&) writes this team's part of the message to neighbour `message` of the list. All
  /// threads of `num_teams` >= 1 teams call this once an exchange, with the same `num_teams`.
  template <class Team, class Write>
  KOKKOS_FUNCTION void operator()(const Team& team, int message, int num_teams, const Write& write) const {
    const impl::PeerPut put = puts_[message];
    impl::PeerCount& count = counts_[message];
    std::uint64_t number = 0;
    Kokkos::single(
        Kokkos::PerTeam(team),
        [&](std::uint64_t& answer) {
          // The count changes when all teams of the message are done, so not before this team has read it.
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
      fence();  // for the whole team: it follows the barrier
      if (!impl::is_last_of(count, num_teams)) return;
      if (num_teams > 1) fence();  // for the other teams
      store_shared(&count.exchanges, number - *skipped_);
      if (!put.is_packets) store_shared(&put.arrived->count, number);
    });
  }

  /// Called by NeighbourExchange.
  PeerSends(const impl::PeerPut* puts, impl::PeerCount* counts, const std::uint64_t* skipped, const TimeLimit& limit)
      : puts_(puts), counts_(counts), skipped_(skipped), limit_(limit) {}

 private:
  const impl::PeerPut* puts_;  // by message
  impl::PeerCount* counts_;
  const std::uint64_t* skipped_;
  TimeLimit limit_;
};

/// Receives messages in a kernel. NeighbourExchange passes it to kernels that unpack, or gather straight from where the
/// data arrived.
///
///     receives(team, k, 3, [&](const IncomingMessage& from) {   // one of three teams for the k-th neighbour
///       Kokkos::parallel_for(Kokkos::TeamThreadRange(team, begin, end), [&](int i) { ... = from.get<double>(i); });
///     });
///
/// Async    a team waits until the message is there. If it comes as packets, each thread waits for the values that it
///          reads. After the time limit nothing is read, or values are meaningless, and NeighbourExchange::check()
///          throws.
class PeerReceives {
 public:
  /// read(const IncomingMessage&) reads this team's part of the message from neighbour `message` of the list. All
  /// threads of `num_teams` >= 1 teams call this once an exchange, with the same `num_teams`.
  template <class Team, class Read>
  KOKKOS_FUNCTION void operator()(const Team& team, int message, int num_teams, const Read& read) const {
    const std::uint64_t number = wait_by_team(team, message, false);
    if (number == 0) return;
    read(incoming(gets_[message], number));
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      if (!impl::is_last_of(counts_[message], num_teams)) return;
      tell(message, number);
      count(message, number);
    });
  }

  /// Waits for a chunk of a message and moves packets to where received() shows them. Later work on the instance reads
  /// the data. One team calls this for each chunk of words that come as packets, or for each other message.
  template <class Team>
  KOKKOS_FUNCTION void arrive(const Team& team, const impl::PeerChunk& chunk) const {
    const impl::PeerGet& get = gets_[chunk.message];
    const std::uint64_t number = wait_by_team(team, chunk.message, chunk.begin == 0);
    if (number == 0) return;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, chunk.begin, chunk.begin + chunk.count),
                         [&](std::int64_t i) { unpack(get, number, i); });
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      if (impl::is_last_of(counts_[chunk.message], chunk.num_chunks)) count(chunk.message, number);
    });
  }
  /// The same on the host, after wait_for() has returned true.
  void arrive(int message) const {
    const impl::PeerGet& get = gets_[message];
    const std::uint64_t number = number_of(message);
    tell(message, number);
    for (std::int64_t i = 0; i < get.num_words; ++i) unpack(get, number, i);
    count(message, number);
  }

  /// Waits on the host for a message. It is not counted: later kernels take it. Returns false after the time limit.
  bool wait_for(int message) const {
    const impl::PeerGet& get = gets_[message];
    const std::uint64_t number = number_of(message);
    if (get.packets == nullptr) return wait_for_flag(get, number);
    for (std::int64_t i = 0; i < get.num_words; ++i) {
      PacketData<std::uint32_t> ignored{};
      if (!incoming(get, number).wait_for<std::uint32_t>(i, ignored)) return false;
    }
    return true;
  }

  /// Called by NeighbourExchange.
  PeerReceives(const impl::PeerGet* gets, impl::PeerCount* counts, const std::uint64_t* skipped, const TimeLimit& limit)
      : gets_(gets), counts_(counts), skipped_(skipped), limit_(limit) {}

 private:
  KOKKOS_FUNCTION std::uint64_t number_of(int message) const {
    return *skipped_ + load_shared(&counts_[message].exchanges) + 1;
  }
  /// The number of this exchange, for all threads of a team, once the message may be read: when its flag is raised, or
  /// immediately if it comes as packets. 0 after the time limit. If `tells`, the team tells the neighbour before it
  /// waits.
  template <class Team>
  KOKKOS_FUNCTION std::uint64_t wait_by_team(const Team& team, int message, bool tells) const {
    std::uint64_t number = 0;
    Kokkos::single(
        Kokkos::PerTeam(team),
        [&](std::uint64_t& answer) {
          const impl::PeerGet& get = gets_[message];
          const std::uint64_t its = number_of(message);
          if (tells) tell(message, its);
          answer = get.packets != nullptr || wait_for_flag(get, its) ? its : 0;
        },
        number);
    return number;
  }
  KOKKOS_FUNCTION bool wait_for_flag(const impl::PeerGet& get, std::uint64_t number) const {
    return impl::wait_for_flag(get.arrived, number, limit_);
  }
  KOKKOS_FUNCTION IncomingMessage incoming(const impl::PeerGet& get, std::uint64_t number) const {
    const bool is_packets = get.packets != nullptr;
    return {(is_packets ? get.packets : get.slots) + impl::slot_of(number) * get.slot_bytes, is_packets,
            static_cast<std::uint32_t>(number), limit_};
  }
  /// Moves word i to where the message is read.
  KOKKOS_FUNCTION void unpack(const impl::PeerGet& get, std::uint64_t number, std::int64_t i) const {
    auto* const to = reinterpret_cast<std::uint32_t*>(get.slots + impl::slot_of(number) * get.slot_bytes);
    to[i] = incoming(get, number).get<std::uint32_t>(i);
  }
  /// Tells the neighbour that the data of the previous exchange are read.
  KOKKOS_FUNCTION void tell(int message, std::uint64_t number) const {
    if (number > 1) raise_flag(gets_[message].taken, number - 1);
  }
  KOKKOS_FUNCTION void count(int message, std::uint64_t number) const {
    store_shared(&counts_[message].exchanges, number - *skipped_);
  }

  const impl::PeerGet* gets_;  // by message
  impl::PeerCount* counts_;
  const std::uint64_t* skipped_;
  TimeLimit limit_;
};

}  // namespace ashlar
