// The same counts in every build: that is what holds OpenMP, Serial and GPUs to one and the same method.
#include <nlohmann/json.hpp>
#include <ostream>

#include "command.hpp"

namespace ashlar::testing {

namespace {

struct Count {
  int dof, iterations;
};
void PrintTo(const Count& count, std::ostream* out) { *out << "dof " << count.dof; }

class IterationCount : public CommandTest, public ::testing::WithParamInterface<Count> {};

TEST_P(IterationCount, OfTheCantileverIsTheSameEverywhere) {
#ifdef __SANITIZE_ADDRESS__
  if (GetParam().dof > 1) GTEST_SKIP() << "half a minute, for nothing that smaller problems do not show";
#endif
  const CommandResult result =
      run("solve --no-probe --problem cantilever --nodes 33 --rtol 1e-10 --report r.json --dof " +
          std::to_string(GetParam().dof));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(read_file(folder() / "r.json"));
  EXPECT_EQ(json["status"], "converged");
  EXPECT_NEAR(json["iterations"].get<int>(), GetParam().iterations, 1);
  EXPECT_LE(json["relative_residual"].get<double>(), 1e-10);
}

INSTANTIATE_TEST_SUITE_P(Dof, IterationCount, ::testing::Values(Count{1, 32}, Count{3, 320}, Count{6, 534}),
                         [](const auto& info) { return std::to_string(info.param.dof); });

}  // namespace

}  // namespace ashlar::testing
