// How many threads of a CPU solve.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "command.hpp"

namespace ashlar::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class Threads : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    if (std::string(Kokkos::DefaultExecutionSpace::name()) != "OpenMP") GTEST_SKIP() << "no OpenMP";
  }

  static constexpr const char* two = "OMP_NUM_THREADS=2 ";

  json report_of(const std::string& arguments) const {
    const CommandResult result = run("solve --no-probe --report r.json " + arguments, two);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const json report = json::parse(read_file(folder() / "r.json"));
    EXPECT_EQ(report.at("device").at("concurrency"), 2);
    const std::string told = "of which " + std::to_string(report.at("threads").get<int>()) + " solved (--threads)";
    if (report.at("threads") == 2) {
      EXPECT_THAT(result.out, Not(HasSubstr("(--threads)")));
    } else {
      EXPECT_THAT(result.out, HasSubstr(told));
    }
    return report;
  }
};

TEST_F(Threads, FewSolveWhatIsSmall) {
  for (const std::string way : {"", " --variant pipelined", " --variant single-reduction", " --solver block-cg",
                                " --preconditioner jacobi", " --stream on"}) {
    SCOPED_TRACE(way);
    const json report = report_of("--problem cantilever --nodes 6" + way);  // 0.4 MiB
    EXPECT_EQ(report.at("threads"), 1);
    EXPECT_EQ(report.at("status"), "converged");
    EXPECT_TRUE(report.at("options").at("threads").is_null());
  }
  EXPECT_EQ(report_of("--problem stencil11 --nodes 14 --dof 4").at("threads"), 2);  // 4 MiB
}

TEST_F(Threads, AreAsManyAsAskedFor) {
  const std::string small = "--problem cantilever --nodes 6 ", large = "--problem stencil11 --nodes 14 --dof 4 ";
  EXPECT_EQ(report_of(small + "--threads 2").at("threads"), 2);
  const json one = report_of(large + "--threads 1");
  EXPECT_EQ(one.at("threads"), 1);
  EXPECT_EQ(one.at("options").at("threads"), 1);
  expect_refused("solve " + small + "--threads 3", {"--threads 3", "2 threads", "OMP_NUM_THREADS"}, two);
  expect_refused("solve " + small + "--threads 0", {"--threads 0", "positive"}, two);
  expect_refused("solve " + small + "--threads many", {"--threads 'many'"}, two);
}

}  // namespace
}  // namespace ashlar::testing
