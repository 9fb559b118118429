#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "support/paths.hpp"

namespace ashlar::testing {

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What a run of the command left.
struct CommandResult {
  int exit_code = -1;
  std::string out, err;
};

/// Tests that run the command as its users do, each in a folder of its own.
class CommandTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "ashlar-test-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    // Threads that spin while they wait starve each other where tests run side by side.
    setenv("OMP_WAIT_POLICY", "passive", 0);
  }
  void TearDown() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  const std::filesystem::path& folder() const { return folder_; }

  void write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
  }

  /// Runs `ashlar <arguments>` in the folder; `arguments` are a shell's, and so is what comes before: variables, or
  /// "ulimit -v 1000000;".
  CommandResult run(const std::string& arguments, const std::string& before = "") const {
    // The arguments come last, so that a redirection among them counts.
    return shell(before + " '" + built_command() + "' >'" + out() + "' 2>'" + err() + "' " + arguments);
  }

  /// Runs lines of a shell in the folder, in which "$ashlar" is the command.
  CommandResult run_lines(const std::string& lines) const {
    return shell("ashlar='" + built_command() + "'\n{ " + lines + "\n} >'" + out() + "' 2>'" + err() + "'");
  }
  std::set<std::string> files() const {
    std::set<std::string> names;
    using std::filesystem::directory_options, std::filesystem::recursive_directory_iterator;
    for (const auto& entry : recursive_directory_iterator(folder_, directory_options::skip_permission_denied))
      names.insert(entry.path().string());
    return names;
  }

  /// The one line of an error: what, why, and what to do, and in it all of `parts`.
  static void expect_message(const std::string& err, const std::vector<std::string>& parts) {
    EXPECT_TRUE(std::regex_match(err, std::regex(R"(ashlar: [^\n]+ \([^\n]+\); [^\n]+\n)"))) << err;
    for (const std::string& part : parts) EXPECT_NE(err.find(part), std::string::npos) << part << "\n" << err;
  }

  /// The command refuses these arguments: exit code 1, a message that holds all of `parts`, nothing on standard output,
  /// no file more and none changed.
  void expect_refused(const std::string& arguments, const std::vector<std::string>& parts,
                      const std::string& before = "") const {
    SCOPED_TRACE(before + " ashlar " + arguments);
    const auto files_before = files();
    const CommandResult result = run(arguments, before);
    EXPECT_EQ(result.exit_code, 1);
    expect_message(result.err, parts);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(files(), files_before);
  }

 private:
  // Beside the folder, so that what the command leaves in it is all there is.
  std::string out() const { return folder_.string() + ".out"; }
  std::string err() const { return folder_.string() + ".err"; }

  CommandResult shell(const std::string& lines) const {
    const int status = std::system(("cd '" + folder_.string() + "' &&\n" + lines).c_str());
    CommandResult result{WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(out()), read_file(err())};
    std::filesystem::remove(out());
    std::filesystem::remove(err());
    return result;
  }

  std::filesystem::path folder_;
};

}  // namespace ashlar::testing
