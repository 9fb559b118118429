#pragma once

#include <gtest/gtest.h>

#include <ashlar/halo/reverse_halo_exchange.hpp>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "halo/needs.hpp"
#include "support/compare.hpp"
#include "support/thread_ranks.hpp"

// Checks of reverse exchanges on ranks of any kind, called by all of them: threads or processes.
namespace ashlar::testing {

/// A rank's contributions to its halo in a round: row after row, of each row all vectors.
template <class Scalar>
std::vector<Scalar> contributions(std::int64_t entries, int rank, int block_size, int num_vectors, int round) {
  return random_vector<Scalar>(entries * block_size * num_vectors, 100 + 10 * round + rank);
}

/// Sends contributions back a few times, and compares with sums in the order of ranks, bit by bit.
template <class Y>
void expect_right_sums(const Communicator& comm, const Needs& needs, HaloForm form, int block_size, int num_vectors,
                       ExchangeMode mode = ExchangeMode::blocking) {
  using Exec = Kokkos::DefaultExecutionSpace;
  using Scalar = typename Y::non_const_value_type;
  const int rank = comm.rank();
  SCOPED_TRACE(needs.name + ", " + std::string(to_string(form)) + ", " + std::string(to_string(mode)) + ", blocks of " +
               std::to_string(block_size) + ", " + std::to_string(num_vectors) + " vectors, rank " +
               std::to_string(rank) + " of " + std::to_string(comm.size()));
  const Exec exec = rank_instance<Exec>();
  HaloOptions options;
  options.form = form;
  const HaloPlan plan(comm, needs.partition, needs.at(rank), options);
  ReverseHaloExchange<Scalar, Exec> exchange(exec, comm, plan, block_size, num_vectors, mode);
  // All ranks' plans, by which every rank knows what the others send.
  std::vector<Numbers> halo_of(comm.size());
  for (int other = 0; other < comm.size(); ++other) {
    halo_of[other] = comm.all_gather(entries_of_halo(needs, plan));
    Numbers lengths = comm.all_gather(plan.num_entries());
    std::int64_t begin = 0;
    for (int r = 0; r < other; ++r) begin += lengths[r];
    halo_of[other] =
        Numbers(halo_of[other].begin() + begin, halo_of[other].begin() + begin + lengths[std::size_t(other)]);
  }
  const std::int64_t first = needs.partition.begin(rank), rows = needs.partition.size(rank) * block_size;
  for (int round = 0; round < 3; ++round) {
    std::vector<Scalar> expected = random_vector<Scalar>(rows * num_vectors, 7 + rank);
    const auto y = [&] {
      if constexpr (Y::rank() == 1) {
        return Y("y", rows);
      } else {
        return Y("y", rows, num_vectors);
      }
    }();
    const auto y_host = Kokkos::create_mirror_view(y);
    const auto at = [&](std::int64_t row, int vector) -> Scalar& {
      if constexpr (Y::rank() == 1) {
        return y_host(row);
      } else {
        return y_host(row, vector);
      }
    };
    for (std::int64_t row = 0; row < rows; ++row) {
      for (int v = 0; v < num_vectors; ++v) at(row, v) = expected[row * num_vectors + v];
    }
    Kokkos::deep_copy(exec, y, y_host);
    const auto mine = contributions<Scalar>(plan.num_entries(), rank, block_size, num_vectors, round);
    exchange.open(exec);
    using Flat = Kokkos::View<Scalar*, Exec::memory_space>;
    Kokkos::deep_copy(exec, Flat(exchange.halo().data(), mine.size()),
                      Kokkos::View<const Scalar*, Kokkos::HostSpace>(mine.data(), mine.size()));
    exchange.begin(exec);
    exchange.end_and_add(exec, y);
    Kokkos::deep_copy(exec, y_host, y);
    exec.fence();
    for (int other = 0; other < comm.size(); ++other) {
      const auto its =
          contributions<Scalar>(std::int64_t(halo_of[other].size()), other, block_size, num_vectors, round);
      for (std::size_t k = 0; k < halo_of[other].size(); ++k) {
        if (needs.partition.owner(halo_of[other][k]) != rank) continue;
        for (int i = 0; i < block_size * num_vectors; ++i) {
          expected[(halo_of[other][k] - first) * block_size * num_vectors + i] += its[k * block_size * num_vectors + i];
        }
      }
    }
    for (std::int64_t row = 0; row < rows; ++row) {
      for (int v = 0; v < num_vectors; ++v) EXPECT_EQ(at(row, v), expected[row * num_vectors + v]) << row << ", " << v;
    }
  }
}

inline void expect_right_sums_of_all_kinds(const Communicator& comm, ExchangeMode mode) {
  using Space = Kokkos::DefaultExecutionSpace::memory_space;
  for (const Needs& needs : needs_of_all_kinds(comm.size())) {
    for (const HaloForm form : all_forms) {
      expect_right_sums<Kokkos::View<double*, Space>>(comm, needs, form, 3, 1, mode);
      expect_right_sums<Kokkos::View<float**, Kokkos::LayoutLeft, Space>>(comm, needs, form, 2, 3, mode);
    }
    expect_right_sums<Kokkos::View<Kokkos::complex<double>**, Kokkos::LayoutRight, Space>>(
        comm, needs, HaloForm::automatic, 1, 2, mode);
  }
}

}  // namespace ashlar::testing
