// What all ranks together find, each finds alone to the last bit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ashlar/comm/rank_devices.hpp>
#include <optional>
#include <string>
#include <vector>

#include "multigrid/rank_levels.hpp"
#include "support/host_streams.hpp"
#include "support/mpi_world.hpp"

namespace ashlar::testing {
namespace {

struct Solve {
  const char* name;
  int boxes_per_dim, box_dim;
  MultigridOptions options;
  Cycle cycle;
};

class BitsOverMpi : public ::testing::TestWithParam<Solve> {
 protected:
  static std::string bytes_of(const std::vector<double>& numbers) {
    return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double)};
  }

  /// In these modes, where the ranks of `together` are all.
  static void expect_bits_of_one(const Communicator& together, ExchangeMode mode, Overlap overlap) {
    auto [name, boxes, dim, options, cycle] = GetParam();
    const Communicator alone = world().split(world().rank(), 0);
    const std::vector<double> one = numbers_of(alone, boxes, dim, options, cycle);
    for (const std::string& of_rank : world().all_gather(bytes_of(one))) EXPECT_EQ(of_rank, bytes_of(one));
    options.exchange.mode = mode;
    options.overlap = overlap;
    EXPECT_EQ(numbers_of(together, boxes, dim, options, cycle), one);
  }
};

TEST_P(BitsOverMpi, AreThoseOfOneRankInBlockingMode) {
  expect_bits_of_one(world(), ExchangeMode::blocking, Overlap::on);
}

TEST_P(BitsOverMpi, AreThoseOfOneRankInStreamMode) {
  if (is_gpu_v<Exec>) GTEST_SKIP() << "streams of GPUs are NCCL's: see there";
  expect_bits_of_one(with_host_streams(world()), ExchangeMode::stream, Overlap::off);
}

TEST_P(BitsOverMpi, AreThoseOfOneRankInKernelMode) {
  if (world().is_alone()) GTEST_SKIP() << "one rank exchanges nothing";
  if (const PeersFound found = find_peer_memory(Exec(), world()); !found.work) GTEST_SKIP() << found.why;
  expect_bits_of_one(world(), ExchangeMode::kernel, Overlap::off);
}

INSTANTIATE_TEST_SUITE_P(
    Solves, BitsOverMpi,
    ::testing::Values(Solve{"Fv4", 2, 8, {.discretisation = fv4}, Cycle::fv},
                      Solve{"Fv4ChebyshevOf27Boxes",
                            3,
                            8,
                            {.discretisation = fv4, .equation = Equation::helmholtz, .smoother = Smoother::chebyshev},
                            Cycle::f},
                      Solve{"Fv2Jacobi", 2, 8, {.discretisation = fv2, .smoother = Smoother::jacobi}, Cycle::f},
                      Solve{"Fv2Of64Boxes", 4, 4, {.discretisation = fv2}, Cycle::f}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace ashlar::testing
