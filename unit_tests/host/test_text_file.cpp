#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <ashlar/base/error.hpp>
#include <ashlar/host/text_file.hpp>
#include <csignal>
#include <filesystem>
#include <string>

#include "support/temporary_folder.hpp"

namespace ashlar::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

struct TextFile : ::testing::Test {
  TemporaryFolder folder;
  int files() const { return static_cast<int>(std::distance(fs::directory_iterator(folder.path()), {})); }
};

TEST_F(TextFile, ReadsBackAsItWasWritten) {
  const std::string text = "one\ntwo", path = folder / "new.txt";
  replace_text_file(path, text);
  EXPECT_EQ(read_text_file(path), text);
  EXPECT_EQ(files(), 1) << "something else was left behind";
}

TEST_F(TextFile, IsReplacedWithItsPermissions) {
  const std::string path = folder.write("old.txt", "what it holds");
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  replace_text_file(path, "more than that was");
  EXPECT_EQ(content_of(path), "more than that was");
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(files(), 1);
}

TEST_F(TextFile, ThatALinkLeadsToIsReplacedAndNotTheLink) {
  const std::string path = folder.write("old.txt", "what it holds"), link = folder / "link.txt";
  fs::create_symlink("old.txt", link);
  replace_text_file(link, "new");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(content_of(path), "new");
}

TEST_F(TextFile, KeepsWhatItHeldWhereTheNewTextDoesNotFit) {
  const std::string path = folder.write("old.txt", "what it holds");
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 100;
  setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_THROW(replace_text_file(path, std::string(10'000, 'x')), FileError);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(content_of(path), "what it holds");
  EXPECT_EQ(files(), 1);
}

TEST_F(TextFile, ThatCannotBeReadIsAnError) {
  EXPECT_THROW(read_text_file(folder / "none.txt"), FileError);
  EXPECT_THROW(read_text_file(folder.path()), FileError);
  const std::string path = folder.write("long.txt", std::string(100, 'x'));
  try {
    read_text_file(path, 50);
    ADD_FAILURE() << "no error";
  } catch (const FileError& error) {
    EXPECT_THAT(error.what(), HasSubstr("too large"));
  }
}

}  // namespace
}  // namespace ashlar::testing
