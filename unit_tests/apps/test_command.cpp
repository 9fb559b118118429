#include <ashlar/base/version.hpp>
#include <nlohmann/json.hpp>

#include "command.hpp"

namespace ashlar::testing {

namespace {

using Command = CommandTest;

TEST_F(Command, HelpIsNoError) {
  for (const std::string arguments : {"--help", "solve --help", "info --help", "-h"}) {
    const CommandResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << arguments;
    EXPECT_EQ(result.err, "");
  }
  const std::string help = run("solve --help").out;
  for (const std::string option :
       {"--problem", "--nodes", "--dof", "--matrix", "--rhs", "--block-size", "--solution", "--preconditioner",
        "--rtol", "--max-iterations", "--kernel", "--tune", "--report", "--vtk", "--trace", "--history",
        "--skip-symmetry-check", "--device-memory-limit", "Exit codes"}) {
    EXPECT_NE(help.find(option), std::string::npos) << option;
  }
}

TEST_F(Command, HelpShowsExamplesOfTheCommandThatItIsOf) {
  const std::vector<std::string> commands{"solve", "convert", "hpgmg", "info"};
  for (const std::string& of : commands) {
    const std::string help = run(of + " --help").out;
    for (const std::string& other : commands) {
      EXPECT_EQ(help.find("\nashlar " + other + " ") != std::string::npos, other == of) << of << ", " << other;
    }
  }
}

TEST_F(Command, VersionIsNoError) {
  const CommandResult result = run("--version");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, std::string("ashlar ") + version_string + "\n");
}

TEST_F(Command, InfoTellsTheMachine) {
  const CommandResult result = run("info");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  for (const std::string line : {"ashlar ", "kokkos ", "compiler ", "backends ", "device ", "instruction set ",
                                 "host memory ", "read bandwidth ", "copy bandwidth ", "link "}) {
    EXPECT_NE(result.out.find(line), std::string::npos) << line;
  }
}

TEST_F(Command, InfoAsJson) {
  const CommandResult result = run("info --json");
  ASSERT_EQ(result.exit_code, 0);
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["versions"]["ashlar"], version_string);
  EXPECT_GT(json["host_memory"]["total_bytes"].get<std::uint64_t>(), std::uint64_t(1) << 20);
  EXPECT_LE(json["host_memory"]["available_bytes"].get<std::uint64_t>(),
            json["host_memory"]["total_bytes"].get<std::uint64_t>());
  EXPECT_GE(json["register_bytes"].get<int>(), 16);
  EXPECT_GT(json["read_bandwidth_gb_s"].get<double>(), 0);
  EXPECT_GT(json["copy_bandwidth_gb_s"].get<double>(), 0);
  // The link is told exactly where the device has a memory of its own.
  EXPECT_EQ(json["link"].is_null(), json["device_memory"].is_null());
  EXPECT_FALSE(json["backends"].empty());
  EXPECT_FALSE(json.contains("ranks")) << "of one rank alone";
}

TEST_F(Command, InfoTellsTheInstructionSetThatTheEnvironmentAllows) {
  const CommandResult result = run("info --json", "ASHLAR_INSTRUCTION_SET=baseline");
  ASSERT_EQ(result.exit_code, 0);
  EXPECT_EQ(nlohmann::json::parse(result.out)["instruction_set"], "baseline");
}

}  // namespace

}  // namespace ashlar::testing
