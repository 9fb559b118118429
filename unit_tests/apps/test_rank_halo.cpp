// What the command tells of the messages between its ranks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "rank_command.hpp"

namespace ashlar::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class RankHalo : public RankCommandTest {};

// Of a chain dealt by rows each rank sends its neighbours one number a product.
TEST_F(RankHalo, IsCountedInTheReportAndTheSummary) {
  std::ostringstream chain;
  chain << "%%MatrixMarket matrix coordinate real symmetric\n99 99 197\n";
  for (int i = 1; i <= 99; ++i) {
    chain << i << ' ' << i << " 2.5\n";
    if (i < 99) chain << i + 1 << ' ' << i << " -1\n";
  }
  write("a.mtx", chain.str());
  const CommandResult result =
      run("solve --matrix a.mtx --block-size 1 --partition rows --halo packed --exchange blocking --no-probe --report r.json", on(3));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json report = json::parse(read_file(folder() / "r.json"));
  const auto iterations = report.at("iterations").get<std::int64_t>();
  std::int64_t messages = 0;
  int staged = 0;
  for (int k = 0; k < 3; ++k) {
    const json rank = report.at("ranks")[k], halo = rank.at("halo");
    const auto exchanges = halo.at("exchanges").get<std::int64_t>();
    // A product an iteration, and a few for true residuals; those before the solve are not counted.
    EXPECT_GE(exchanges, iterations);
    EXPECT_LE(exchanges, iterations + 2);
    EXPECT_EQ(exchanges, report.at("ranks")[0].at("halo").at("exchanges").get<std::int64_t>());
    for (const char* direction : {"sent", "received"}) {
      EXPECT_EQ(halo.at(direction).at("messages").get<std::int64_t>(), exchanges * (k == 1 ? 2 : 1)) << direction;
      EXPECT_EQ(halo.at(direction).at("bytes").get<std::int64_t>(), exchanges * (k == 1 ? 2 : 1) * 8) << direction;
    }
    EXPECT_GE(halo.at("waited_seconds").get<double>(), 0);
    EXPECT_LE(halo.at("waited_seconds").get<double>(), rank.at("waited_seconds").get<double>() + 1e-9);
    messages += exchanges * (k == 1 ? 2 : 1);
    staged += halo.at("staged").get<bool>();
  }
  EXPECT_THAT(result.out, HasSubstr("halo       " + std::to_string(messages) + " messages, "));
  EXPECT_THAT(result.out,
              HasSubstr(staged == 0 ? "straight from and to" : "on " + std::to_string(staged) + " of 3 ranks"));
  EXPECT_THAT(report.at("plan").get<std::string>(),
              HasSubstr(staged == 0 ? "from and to the memory that the halo is in" : "halo: "));
}

}  // namespace
}  // namespace ashlar::testing
