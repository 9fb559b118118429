#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/halo/peer_messages.hpp>
#include <ashlar/halo/peer_tasks.hpp>
#include <ashlar/multigrid/box_layout.hpp>
#include <ashlar/multigrid/ghost_plan.hpp>
#include <ashlar/multigrid/impl/ghost_kernels.hpp>
#include <ashlar/multigrid/impl/message_bodies.hpp>
#include <ashlar/multigrid/impl/region_kernels.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

/// Ghost cells in the kernel mode: boxes are packed to where the neighbours have what comes, and filled from there.
namespace ashlar::multigrid::impl {

/// A part of a message, which a team packs or unpacks: `copy.buffer` counts from where the message begins.
struct GhostPart {
  GhostCopy copy;
  int message = 0, num_parts = 0;  ///< of that message
};

/// Copies to or from the buffer of these messages, message by message.
inline std::vector<GhostPart> parts_of(const std::vector<GhostCopy>& copies,
                                       const std::vector<GhostMessage>& messages) {
  std::vector<GhostPart> parts;
  std::vector<int> counts(messages.size());
  for (GhostCopy copy : copies) {
    const auto next = std::upper_bound(messages.begin(), messages.end(), copy.buffer,
                                       [](std::int64_t at, const GhostMessage& its) { return at < its.begin; });
    const auto message = static_cast<int>(next - messages.begin()) - 1;
    copy.buffer -= messages[static_cast<std::size_t>(message)].begin;
    parts.push_back({copy, message});
    ++counts[static_cast<std::size_t>(message)];
  }
  for (GhostPart& part : parts) part.num_parts = counts[static_cast<std::size_t>(part.message)];
  return parts;
}

template <class Real>
struct PackGhostParts {
  const GhostPart* parts;
  BeyondBoundary<Real> x;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, int task, const PeerSends& sends) const {
    const GhostPart& part = parts[task];
    sends(team, part.message, part.num_parts, [&](const OutgoingMessage& message) {
      if (Real* const plain = message.plain<Real>()) {
        using Buffer = PlainBuffer<Real>;
        at_cells(team, part.copy, PackGhosts<Real, Buffer>{x, {plain}});
      } else {
        at_cells(team, part.copy, PackGhosts<Real, OutgoingMessage>{x, message});
      }
    });
  }
};

template <class Real>
struct UnpackGhostParts {
  const GhostPart* parts;
  Real* x;
  BoxLayout layout;
  bool has_boundary;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, int task, const PeerReceives& receives) const {
    const GhostPart& part = parts[task];
    receives(team, part.message, part.num_parts, [&](const IncomingMessage& message) {
      if (const Real* const plain = message.plain<Real>()) {
        using Buffer = PlainBuffer<const Real>;
        at_cells(team, part.copy, UnpackGhosts<Real, Buffer>{x, layout, {plain}, has_boundary});
      } else {
        at_cells(team, part.copy, UnpackGhosts<Real, IncomingMessage>{x, layout, message, has_boundary});
      }
    });
  }
};

}  // namespace ashlar::multigrid::impl
