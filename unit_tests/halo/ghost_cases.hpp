#pragma once

#include <gtest/gtest.h>

#include <ashlar/halo/ghost_exchange.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "halo/exchange_cases.hpp"

// Checks of ghost entries on ranks of any kind, called by all of them: threads or processes.
namespace ashlar::testing {

/// The needed entries as an application may number its ghosts: from the last to the first, and the last one again.
inline Numbers ghosts_of(const Needs& needs, int rank) {
  Numbers ghosts(needs.at(rank).rbegin(), needs.at(rank).rend());
  if (!ghosts.empty()) ghosts.push_back(ghosts.front());
  return ghosts;
}

/// Fills the ghosts of a vector with other values in each round, whole and in two halves. Own entries stay.
template <class X>
void expect_right_ghosts(const Communicator& comm, const Needs& needs, int block_size, int num_vectors,
                         ExchangeMode mode = ExchangeMode::blocking) {
  using Scalar = typename X::non_const_value_type;
  const int rank = comm.rank();
  SCOPED_TRACE(needs.name + ", blocks of " + std::to_string(block_size) + ", " + std::to_string(num_vectors) +
               " vectors, rank " + std::to_string(rank) + " of " + std::to_string(comm.size()));
  const Exec exec = own_instance();
  const Numbers ghosts = ghosts_of(needs, rank);
  const std::int64_t num_own = needs.partition.size(rank);
  const std::int64_t rows = (num_own + std::int64_t(ghosts.size())) * block_size;
  const X x = [&] {
    if constexpr (X::rank() == 1) {
      return X("test::x", rows);
    } else {
      return X("test::x", rows, num_vectors);
    }
  }();
  GhostExchange<Scalar, Exec> exchange(exec, comm, needs.partition, ghosts, block_size, num_vectors, mode);
  EXPECT_EQ(exchange.num_own(), num_own);
  EXPECT_EQ(exchange.num_ghosts(), std::int64_t(ghosts.size()));
  for (int round = 1; round <= 4; ++round) {
    Kokkos::deep_copy(exec, x, std::numeric_limits<real_t<Scalar>>::quiet_NaN());
    const auto host = Kokkos::create_mirror(x);
    Kokkos::deep_copy(exec, host, x);
    exec.fence("test::ghosts");
    for (std::int64_t row = 0; row < num_own * block_size; ++row) {
      for (int v = 0; v < num_vectors; ++v) {
        at(host, row, v) = value_at<Scalar>(needs.partition.begin(rank) + row / block_size, row % block_size, v, round);
      }
    }
    Kokkos::deep_copy(exec, x, host);
    if (round % 2 == 0) {
      exchange.fill(exec, x);
    } else {
      exchange.begin(exec, x);
      exchange.end(exec, x);
    }
    Kokkos::deep_copy(exec, host, x);
    exec.fence("test::ghosts");
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t i = row / block_size;
      const std::int64_t entry =
          i < num_own ? needs.partition.begin(rank) + i : ghosts[static_cast<std::size_t>(i - num_own)];
      for (int v = 0; v < num_vectors; ++v) {
        EXPECT_EQ(at(host, row, v), value_at<Scalar>(entry, row % block_size, v, round)) << row << ", " << v;
      }
    }
  }
}

inline void expect_right_ghosts_of_all_kinds(const Communicator& comm, ExchangeMode mode) {
  for (const Needs& needs : needs_of_all_kinds(comm.size())) {
    expect_right_ghosts<Kokkos::View<double*, Space>>(comm, needs, 3, 1, mode);
    expect_right_ghosts<Kokkos::View<float**, Kokkos::LayoutLeft, Space>>(comm, needs, 2, 3, mode);
    expect_right_ghosts<Kokkos::View<Kokkos::complex<double>**, Kokkos::LayoutRight, Space>>(comm, needs, 1, 2, mode);
  }
}

}  // namespace ashlar::testing
