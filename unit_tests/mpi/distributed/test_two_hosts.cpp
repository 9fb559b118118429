#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ashlar/comm/measure_links.hpp>
#include <cstdlib>
#include <string>
#include <vector>

#include "distributed/solver_cases.hpp"
#include "support/mpi_world.hpp"

namespace ashlar::testing {
namespace {

// Ranks that mpi/two_hosts.py has started, half of them on each host.
class TwoHosts : public ::testing::Test {
  void SetUp() override {
    if (std::getenv("ASHLAR_TWO_HOSTS") == nullptr) GTEST_SKIP() << "these ranks are not on two hosts";
  }
};

TEST_F(TwoHosts, AreTold) {
  EXPECT_EQ(world().transport().num_hosts(), 2);
  EXPECT_THAT(world().explain(), ::testing::HasSubstr("4 ranks on 2 hosts"));
  EXPECT_EQ(world().all_gather(world().transport().host_name()),
            (std::vector<std::string>{"ashlar-one", "ashlar-one", "ashlar-two", "ashlar-two"}));
  EXPECT_EQ(world().split_by_host().size(), 2);
}

TEST_F(TwoHosts, AreLinked) {
  const std::vector<RankLink> links = measure_links(world());
  ASSERT_EQ(links.size(), 16U);
  for (int i = 0; i < 16; ++i) {
    const RankLink& link = links[static_cast<std::size_t>(i)];
    EXPECT_EQ(link.gb_s > 0 && link.latency_us > 0, i % 5 != 0) << "of " << i / 4 << " and " << i % 4;
  }
}

TEST_F(TwoHosts, SolveTogether) {
  for (const Form form : {Form::standard, Form::pipelined}) {
    const SerialSolve serial = solve_serially(form, Beam(1), Kind::block_jacobi);
    for (const DistributedOptions& way :
         {with(Decomposition::one_d, HaloForm::automatic), with(Decomposition::two_d, HaloForm::whole)}) {
      expect_solved_as(serial, world(), Beam(world().size()), form, Kind::block_jacobi, way);
    }
  }
}

}  // namespace
}  // namespace ashlar::testing
