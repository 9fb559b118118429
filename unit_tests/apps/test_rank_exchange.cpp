// Who sends the halo and waits for it: what the command takes, and tells.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "rank_command.hpp"

namespace ashlar::testing {
namespace {

using nlohmann::json;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

constexpr const char* problem = "solve --problem cantilever --nodes 9,3,3 --dof 1 --no-probe ";

class RankExchange : public RankCommandTest {
 protected:
  void SetUp() override {
    if (is_gpu_v<Kokkos::DefaultExecutionSpace>) GTEST_SKIP() << "what GPUs can do depends on the machine";
    RankCommandTest::SetUp();
  }
};

TEST_F(RankExchange, IsTheFastestThatTheHostHasAndTheReportSaysWhy) {
  const CommandResult result = run(std::string(problem) + "--report r.json", on(2));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json report = json::parse(read_file(folder() / "r.json"));
  const auto mode = report.at("exchange").at("mode").get<std::string>();
  const auto why = report.at("exchange").at("why").get<std::string>();
  EXPECT_THAT(mode, AnyOf("blocking", "kernel"));
  EXPECT_THAT(
      why, MatchesRegex("[0-9.e+]+ us an exchange; " + std::string(mode == "kernel" ? "blocking" : "kernel") +
                        " takes [0-9.e+]+ us; stream: rank 0 has no transport for streams: it computes on the host"));
  EXPECT_EQ(report.at("options").at("exchange"), "auto");
  EXPECT_EQ(report.at("options").at("halo"), "auto");
  EXPECT_THAT(result.out, HasSubstr("; exchange: " + mode + " (" + why + ")"));
}

TEST_F(RankExchange, InTheOrderOfStreamsIsRefusedOnTheHost) {
  expect_one_message(std::string(problem) + "--exchange stream --report r.json", 2,
                     {"an exchange in mode stream", "rank 0 has no transport for streams: it computes on the host",
                      "leave the mode automatic, or take blocking"});
}

}  // namespace
}  // namespace ashlar::testing
