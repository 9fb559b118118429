#pragma once

#include <gtest/gtest.h>

#include <ashlar/base/text.hpp>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>

#include "multigrid/ghost_numbers.hpp"
#include "multigrid/rank_levels.hpp"

// Ghost cells filled again and again, with other numbers in each round, while ranks are late at random.

namespace ashlar::testing {

/// The numbers of all cells of a rank's boxes, ghost cells included, that a round begins with or is to end with. Those
/// that are no cell's are negative, and stay as they are.
inline BoxVector numbers_of_boxes(const Exec& exec, const Level<Exec>& level, GhostShape shape,
                                  bool ghosts_are_filled) {
  const BoxVector result(Kokkos::view_alloc(exec, "test::numbers"), level.u.extent(0), level.u.extent(1));
  RankVector(exec, level, result).fill([&](int box, int i, int j, int k) {
    const int dim = level.grid.box_dim();
    const Index3& place = level.grid.place(box);
    if (!has(GhostShape::box, dim, i, j, k)) {
      return number(level.grid.cells_per_dim(), place[0] * dim + i, place[1] * dim + j, place[2] * dim + k);
    }
    const double its = ghosts_are_filled ? expected(level.grid, shape, box, i, j, k) : untouched;
    return its < 0 ? untouched : its;
  });
  return result;
}

/// A value of a round.
KOKKOS_INLINE_FUNCTION double in_round(double number, int round) {
  return number < 0 ? number : number + 1e9 * (round % 1000);
}

/// How many cells were wrong in all rounds.
inline int wrong_cells(const Communicator& comm, const ExchangeOptions& exchanges, GhostShape shape,
                       const BoxGrid& grid, int rounds) {
  const Exec exec = rank_instance<Exec>();
  const Level<Exec> level(exec, grid, fv4, Equation::poisson, 0, std::make_shared<const Communicator>(comm.duplicate()),
                          exchanges);
  const GhostFill<Exec> fill = level.ghost_fill(exec, make_ghost_plan(grid, 2, shape));
  const BoxVector begins = numbers_of_boxes(exec, level, shape, false),
                  ends = numbers_of_boxes(exec, level, shape, true);
  const double *const before = begins.data(), *const after = ends.data();
  double* const u = level.u.data();
  const Kokkos::View<int, Exec::memory_space> wrong("test::wrong");
  const Kokkos::RangePolicy<Exec> all(exec, 0, level.u.size());
  std::mt19937 random(unsigned(comm.rank()));
  for (int round = 0; round < rounds; ++round) {
    if (random() % 16 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
    Kokkos::parallel_for(
        "test::begin", all, KOKKOS_LAMBDA(std::int64_t at) { u[at] = in_round(before[at], round); });
    fill.exchange(exec, level.u);
    Kokkos::parallel_for(
        "test::look", all, KOKKOS_LAMBDA(std::int64_t at) {
          if (u[at] != in_round(after[at], round)) Kokkos::atomic_inc(&wrong());
        });
  }
  int result = 0;
  Kokkos::deep_copy(exec, result, wrong);
  exec.fence();
  return result;
}

/// ASHLAR_TEST_ROUNDS says how many rounds: 100000 by hand. Collective.
inline void expect_right_ghosts_whatever_ranks_wait_for(const Communicator& comm, const ExchangeOptions& exchanges) {
  const char* const asked = std::getenv("ASHLAR_TEST_ROUNDS");
  const int rounds = asked == nullptr ? 200 : std::stoi(asked);
  // (27 boxes are not as many for each rank.)
  for (const auto& [boxes, dim] : {std::pair{2, 8}, {3, 4}}) {
    for (const GhostShape shape : shapes) {
      const BoxGrid grid(boxes, dim, comm.size(), comm.rank());
      EXPECT_EQ(wrong_cells(comm, exchanges, shape, grid, rounds), 0)
          << to_string(exchanges.mode) << ", packets up to " << exchanges.packet_bytes.value_or(0) << " bytes, "
          << boxes << "^3 boxes, shape " << int(shape);
    }
  }
}

}  // namespace ashlar::testing
