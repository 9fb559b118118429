#pragma once

namespace ashlar {

/// What the tasks of a stage do: pack, with body(team, task, const PeerSends&); take, with body(team, task,
/// const PeerReceives&); or what needs no message by itself, with body(team, task).
enum class PeerStageKind { packs, works, takes };

/// A stage of an exchange that is one kernel (NeighbourExchange::exchange_in_stages): so many tasks, as of PeerTasks,
/// which begin when all tasks of some earlier stages are done: of stage s, counted from 0, where bit s of `waits` is
/// set. They see what those have written.
template <PeerStageKind its_kind, unsigned waits, class Body>
struct PeerStage {
  static constexpr PeerStageKind kind = its_kind;
  static constexpr unsigned waits_for = waits;

  int count = 0;
  Body body = {};
};

}  // namespace ashlar
