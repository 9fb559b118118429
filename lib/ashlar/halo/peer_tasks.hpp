#pragma once

#include <Kokkos_Core.hpp>

namespace ashlar {

/// What so many teams of an exchange's kernel do (NeighbourExchange::exchange_by). All threads of a team call the body:
/// of teams that pack body(team, task, const PeerSends&), of those that take body(team, task, const PeerReceives&), of
/// others body(team, task); tasks count from 0.
template <class Body>
struct PeerTasks {
  int count = 0;
  Body body = {};
};

/// Where there is nothing to do.
struct NoPeerTask {
  template <class Team, class... Peers>
  KOKKOS_FUNCTION void operator()(const Team&, int, const Peers&...) const {}
};

}  // namespace ashlar
