// What rows of perf_cg_ranks say of how fast an iteration is, and that they say so where nobody knows.
#include <gtest/gtest.h>

#include <cg_ranks/rates.hpp>

namespace ashlar::perf {
namespace {

RankSystem<Exec> system_of_blocks() {
  RankSystem<Exec> system;
  system.name = "a system";
  system.num_rows = 1000;
  system.num_values = 8000;
  system.block_size = 2;
  return system;
}

TEST(Rates, AreOfTheTime) {
  const nlohmann::json row = rates_json(system_of_blocks(), 2, 10.0, 30.0);
  const double bytes = 8.0 * 8000 * 1.125 + 72 * 1000, flops = 2 * 8000 + 10 * 1000;
  EXPECT_EQ(row["case"], "a system");
  EXPECT_EQ(row["ranks"], 2);
  EXPECT_DOUBLE_EQ(row["us"], 10);
  EXPECT_DOUBLE_EQ(row["seconds"], 1e-5);
  EXPECT_DOUBLE_EQ(row["bytes"], bytes);
  EXPECT_DOUBLE_EQ(row["gflops"], flops / 1e4);
  EXPECT_DOUBLE_EQ(row["gb_s"], bytes / 1e4);
  EXPECT_DOUBLE_EQ(row["limit_gb_s"], 30);
  EXPECT_DOUBLE_EQ(row["fraction"], bytes / 1e4 / 30);
}

TEST(Rates, AreNullWithoutATime) {
  const nlohmann::json with = rates_json(system_of_blocks(), 2, 10.0, 30.0);
  nlohmann::json without = rates_json(system_of_blocks(), 2, std::nullopt, 30.0);
  for (const char* rate : {"us", "seconds", "gflops", "gb_s", "fraction"}) {
    EXPECT_TRUE(without[rate].is_null()) << rate;
    without[rate] = with[rate];
  }
  EXPECT_EQ(without, with) << "what it is of is told all the same";
}

}  // namespace
}  // namespace ashlar::perf
