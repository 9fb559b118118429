#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/halo/impl/peer_lists.hpp>
#include <cstddef>
#include <cstdint>

namespace ashlar {

/// What a kernel receives with: NeighbourExchange hands it to kernels that unpack, or gather straight from where it
/// came.
///
///     receives(team, k, 3, [&](const std::byte* from) {   // one of three teams that unpack what the k-th sent
///       Kokkos::parallel_for(Kokkos::TeamThreadRange(team, begin, end), [&](int i) { ... = from[i]; });
///     });
///
/// Async    a team waits until the message is there. Where that was in vain nothing is read, and
///          NeighbourExchange::check() throws.
class PeerReceives {
 public:
  /// read(const std::byte* from) reads this team's part of what came from the neighbour of this place in the list;
  /// `from` is where the message begins. All threads of `num_teams` teams call this once an exchange, with the same
  /// number, one at least for each message.
  template <class Team, class Read>
  KOKKOS_FUNCTION void operator()(const Team& team, int message, int num_teams, const Read& read) const {
    std::uint64_t number = 0;
    Kokkos::single(
        Kokkos::PerTeam(team),
        [&](std::uint64_t& answer) {
          const std::uint64_t its = number_of(message);
          answer = has_waited(message, its) ? its : 0;
        },
        number);
    if (number == 0) return;
    const impl::PeerGet& get = gets_[message];
    read(get.slots + impl::slot_of(number) * get.slot_bytes);
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      if (!impl::is_last_of(counts_[message], num_teams)) return;
      tell(message, number);
      count(message, number);
    });
  }

  /// The same where nothing is read: what comes later on the instance does that. Called by one thread of all for each
  /// message.
  KOKKOS_FUNCTION void wait(int message) const {
    const std::uint64_t number = number_of(message);
    tell(message, number);
    if (has_waited(message, number)) count(message, number);
  }

  /// Waits for a message, which is not counted: kernels that come later take it. False where it does not come.
  KOKKOS_FUNCTION bool has_come(int message) const { return has_waited(message, number_of(message)); }

  /// As NeighbourExchange makes it.
  PeerReceives(const impl::PeerGet* gets, impl::PeerCount* counts, const std::uint64_t* skipped,
               const impl::PeerPatience& patience)
      : gets_(gets), counts_(counts), skipped_(skipped), patience_(patience) {}

 private:
  KOKKOS_FUNCTION std::uint64_t number_of(int message) const {
    return *skipped_ + load_shared(&counts_[message].exchanges) + 1;
  }
  KOKKOS_FUNCTION bool has_waited(int message, std::uint64_t number) const {
    return impl::wait_for_flag(gets_[message].arrived, number, patience_);
  }
  /// What came in the exchange before is read no more, of which the neighbour is told.
  KOKKOS_FUNCTION void tell(int message, std::uint64_t number) const {
    if (number > 1) raise_flag(gets_[message].taken, number - 1);
  }
  KOKKOS_FUNCTION void count(int message, std::uint64_t number) const {
    store_shared(&counts_[message].exchanges, number - *skipped_);
  }

  const impl::PeerGet* gets_;  // by message
  impl::PeerCount* counts_;
  const std::uint64_t* skipped_;
  impl::PeerPatience patience_;
};

}  // namespace ashlar
