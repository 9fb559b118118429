// Messages in the order of streams by NCCL: ranks that each have a GPU of their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ashlar/comm/nccl/transport.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "distributed/delay_cases.hpp"
#include "distributed/exchange_mode_cases.hpp"
#include "halo/exchange_cases.hpp"
#include "support/mpi_world.hpp"

namespace ashlar::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// One communicator for all tests, as NCCL takes most of a second for each: exchanges of streams() share it.
class Nccl : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const Communicator host = world().split_by_host();
    const std::vector<int> devices = host.all_gather(Kokkos::device_id());
    const bool share = std::set<int>(devices.begin(), devices.end()).size() < devices.size();
    if (world().max(int(share)) > 0) return;
    streams_.emplace(world().duplicate());
    streams_->use_stream_transport(nccl_transport(*streams_));
  }
  static void TearDownTestSuite() { streams_.reset(); }

  void SetUp() override {
    if (!streams_) GTEST_SKIP() << "ranks share a GPU";
  }

  static const Communicator& streams() { return *streams_; }

 private:
  static inline std::optional<Communicator> streams_;
};

TEST_F(Nccl, SaysWhatItIs) {
  EXPECT_THAT(streams().explain(), AllOf(HasSubstr("on streams "), HasSubstr("ccl 2."), HasSubstr("tried with 8 to")));
}

TEST_F(Nccl, BringsWhatIsNeededInAllForms) {
  for (const Needs& needs : needs_of_all_kinds(world().size())) {
    for (const HaloForm form : all_forms) {
      expect_right_exchanges<double>(streams(), needs, form, 3, HaloBuffers::automatic, ExchangeMode::stream);
    }
  }
}

TEST_F(Nccl, AThousandBackToBackWithRandomDelays) {
  for (const std::int64_t entries : {10, 20000}) {
    const Needs needs = random_needs(RowPartition::even(entries * world().size(), world().size()), 0.3, 22);
    for (const bool two_in_flight : {false, true}) {
      for (const bool by_pieces : {false, true}) {
        expect_right_back_to_back(streams(), needs, entries > 1000 ? 50 : 1000, two_in_flight, by_pieces,
                                  HaloBuffers::automatic, ExchangeMode::stream);
      }
    }
  }
}

TEST_F(Nccl, ExchangesAreReplayed) {
  const Needs many = random_needs(RowPartition::even(10 * world().size(), world().size()), 0.3, 22);
  expect_right_replays(streams(), many, ExchangeMode::stream);
}

TEST_F(Nccl, IsMeasuredBesideTheOthers) {
  const Needs needs = chain_needs(RowPartition::even(8 * world().size(), world().size()));
  const Side side(streams(), needs);
  if (world().size() < 2) GTEST_SKIP() << "one rank alone";
  EXPECT_THAT(side.exchange.why_mode(), AllOf(HasSubstr(" us an exchange"), HasSubstr(" takes ")));
  if (side.exchange.mode() != ExchangeMode::stream) {
    EXPECT_THAT(side.exchange.why_mode(), HasSubstr("stream takes "));
  }
}

TEST_F(Nccl, WorksInGroupsOfSomeRanks) {
  // The even ones and the odd ones.
  const Communicator some = streams().split(world().rank() % 2, world().rank());
  const Needs needs = random_needs(RowPartition::even(9 * some.size(), some.size()), 0.5, 23);
  expect_right_back_to_back(some, needs, 20, true, false, HaloBuffers::automatic, ExchangeMode::stream);
}

TEST_F(Nccl, AcceptsACommunicatorOfTheCallers) {
  ncclUniqueId id{};
  if (world().rank() == 0) ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  id = world().broadcast(id);
  ncclComm_t callers = nullptr;
  ASSERT_EQ(ncclCommInitRank(&callers, world().size(), id, world().rank()), ncclSuccess);
  Communicator borrowed = world().duplicate();
  borrowed.use_stream_transport(borrow_nccl(borrowed, callers));
  EXPECT_EQ(ncclCommDestroy(callers), ncclSuccess);  // it may go
  const Needs needs = random_needs(RowPartition::even(9 * world().size(), world().size()), 0.5, 24);
  expect_right_back_to_back(borrowed, needs, 20, false, false, HaloBuffers::automatic, ExchangeMode::stream);
}

TEST_F(Nccl, RefusesACommunicatorOfOtherRanks) {
  if (world().size() < 2) GTEST_SKIP() << "one rank alone";
  ncclUniqueId id{};
  ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  ncclComm_t alone = nullptr;
  ASSERT_EQ(ncclCommInitRank(&alone, 1, id, 0), ncclSuccess);
  EXPECT_THROW(borrow_nccl(world(), alone), Error);
  EXPECT_EQ(ncclCommDestroy(alone), ncclSuccess);
}

TEST_F(Nccl, GivesUpAnExchangeThatOthersDoNotStart) {
  if (world().size() < 2) GTEST_SKIP() << "one rank alone";
  const Needs needs = random_needs(RowPartition::even(9 * world().size(), world().size()), 1, 25);
  const Communicator given_up = streams().duplicate();
  Side side(given_up, needs, HaloForm::automatic, 1, HaloBuffers::automatic, ExchangeMode::stream);
  side.begin(0);
  side.exchange.end(side.exec);
  EXPECT_EQ(side.num_wrong(0), 0);
  // The last rank stays away. The others' streams wait for it, until their exchanges are destroyed.
  if (world().rank() + 1 < world().size()) side.exchange.begin(side.exec, side.x);
}

TEST_F(Nccl, IterationsAreReplayed) { expect_replays_to_the_bit(ExchangeMode::stream, streams()); }

TEST_F(Nccl, HostsWaitBetweenIntervalsAlone) {
  if (world().size() < 2) GTEST_SKIP() << "one rank alone";
  expect_no_wait_inside_an_interval(ExchangeMode::stream, streams());
}

TEST_F(Nccl, SolvesToTheSameBitsWhateverRanksWaitFor) { expect_same_bits_with_delays(streams(), ExchangeMode::stream); }

TEST_F(Nccl, SolvesToTheBitAsTheBlockingMode) {
  const Beam beam(world().size());
  const Exec exec = instance_of_rank();
  const auto rows = beam.rows(world().rank());
  const auto matrix = problems::cantilever_matrix<Matrix>(exec, beam.problem, rows);
  const auto b = problems::cantilever_load<double, Space>(exec, beam.problem, rows);
  const auto in_mode = [&](ExchangeMode mode) {
    DistributedOptions options;
    options.exchange = mode;
    return DistributedOperator<Matrix>(exec, streams(), beam.partition, matrix, options);
  };
  const DistributedOperator<Matrix> by_host = in_mode(ExchangeMode::blocking), by_nccl = in_mode(ExchangeMode::stream);
  EXPECT_TRUE(by_nccl.is_stream_ordered());
  EXPECT_EQ(by_host.is_stream_ordered(), world().size() == 1);
  for (const Form form : {Form::standard, Form::single_reduction, Form::pipelined}) {
    const auto solved = [&](const DistributedOperator<Matrix>& a) {
      const Vector x("x", b.extent(0));
      const SolveReport report =
          solve_by(form, exec, AnyOp(a), preconditioner_of(exec, a.own_matrix(), Kind::block_jacobi), b, x);
      EXPECT_EQ(report.status, SolveStatus::converged);
      return std::pair(report.residual_history, to_host(x));
    };
    const auto blocking = solved(by_host), stream = solved(by_nccl);
    EXPECT_EQ(stream.first, blocking.first);
    EXPECT_EQ(stream.second, blocking.second);
  }
}

}  // namespace
}  // namespace ashlar::testing
