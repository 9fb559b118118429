// CG with a V-cycle over ranks, and the picture that one of them writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "io/vtk_arrays.hpp"
#include "rank_command.hpp"

namespace ashlar::testing {
namespace {

class HpgmgCgOverRanks : public RankCommandTest {};

TEST_F(HpgmgCgOverRanks, TwoFindWhatOneDoes) {
  const std::string arguments = "hpgmg 4 8 --operator fv2 --solver mg-pcg --report ";
  ASSERT_EQ(run(arguments + "one.json --vtk one.vti").exit_code, 0);
  const CommandResult result = run(arguments + "two.json --vtk two.vti", on(2));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto one = nlohmann::json::parse(read_file(folder() / "one.json")),
             two = nlohmann::json::parse(read_file(folder() / "two.json"));
  EXPECT_EQ(two["num_ranks"], 2);
  EXPECT_EQ(two["iterations"], one["iterations"]);
  ASSERT_EQ(two["residual_history"].size(), one["residual_history"].size());
  for (std::size_t k = 0; k < one["residual_history"].size(); ++k) {
    const double expected = one["residual_history"][k];
    EXPECT_NEAR(two["residual_history"][k].get<double>(), expected, 1e-3 * expected + 1e-13) << k;
  }
  const auto u = array<double>(read_file(folder() / "one.vti"), "u", "Float64", 1),
             v = array<double>(read_file(folder() / "two.vti"), "u", "Float64", 1);
  ASSERT_EQ(u.size(), 32768U);
  ASSERT_EQ(v.size(), u.size());
  double largest = 0, difference = 0;
  for (std::size_t n = 0; n < u.size(); ++n) {
    largest = std::max(largest, std::abs(u[n]));
    difference = std::max(difference, std::abs(u[n] - v[n]));
  }
  EXPECT_LT(difference, 1e-11 * largest);
}

}  // namespace
}  // namespace ashlar::testing
