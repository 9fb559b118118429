// New files that take the place of old ones: what links lead to, long names, and what is left where a process ends.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ashlar/base/error.hpp>
#include <ashlar/host/output_file.hpp>
#include <ashlar/host/replaced_file.hpp>
#include <ashlar/host/text_file.hpp>
#include <csignal>
#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "support/message.hpp"
#include "support/temporary_folder.hpp"

namespace ashlar::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct ReplacedFiles : ::testing::Test {
  TemporaryFolder folder;

  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder.path())) names.insert(entry.path().filename().string());
    return names;
  }
};

const std::string some_digits = "0123456789abcdef";

TEST_F(ReplacedFiles, HaveTheirNamesWhenTheyAreComplete) {
  using Kind = ReplacedFile::Kind;
  for (const Kind kind : {Kind::unnamed, Kind::named}) {
    for (const std::string old : {"", "old"}) {
      const std::string path = folder / "a.txt";
      fs::remove(path);
      if (!old.empty()) folder.write("a.txt", old);
      ReplacedFile file(path, kind);
      write_text_file(file.new_name(), "new");
      EXPECT_EQ(content_of(path), old);
      if (kind == Kind::named) {
        EXPECT_THAT(file.new_name(), StartsWith(path + ".ashlar-new-"));
      }
      file.take_name();
      EXPECT_EQ(content_of(path), "new");
      EXPECT_EQ(files(), std::set<std::string>{"a.txt"});
    }
  }
}

TEST_F(ReplacedFiles, LeaveNothingWithoutTheirNames) {
  { const ReplacedFile unnamed(folder / "a.txt"); }
  { const ReplacedFile named(folder / "a.txt", ReplacedFile::Kind::named); }
  EXPECT_TRUE(files().empty());
}

/// A process that is killed leaves a file that has a name; the next one finds that nobody holds its lock.
TEST_F(ReplacedFiles, RemoveWhatKilledProcessesHaveLeft) {
  const pid_t child = ::fork();
  if (child == 0) {
    const ReplacedFile named(folder / "a.txt", ReplacedFile::Kind::named);
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(files().size(), 1u);
  // None of these is a left-over of a.txt.
  const std::set<std::string> others{"a.txt.new-1234", "a.txt.ashlar-new-", "a.txt.ashlar-new-" + some_digits + "0",
                                     "a.txt.ashlar-new-0123456789ABCDEF", "b.txt.ashlar-new-" + some_digits};
  for (const std::string& name : others) folder.write(name, "mine");
  { const ReplacedFile next(folder / "a.txt"); }
  EXPECT_EQ(files(), others);
}

TEST_F(ReplacedFiles, LeaveAloneWhatAnotherProcessWrites) {
  ReplacedFile first(folder / "a.txt", ReplacedFile::Kind::named);
  replace_text_file(folder / "a.txt", "second");
  write_text_file(first.new_name(), "first");
  first.take_name();
  EXPECT_EQ(content_of(folder / "a.txt"), "first");
  EXPECT_EQ(files().size(), 1u);
}

/// Another user could have put a link there, had he known the name.
TEST_F(ReplacedFiles, FollowNoLinkOfALeftOver) {
  const std::string theirs = folder.write("theirs", "kept");
  fs::create_symlink("theirs", folder / ("a.txt.ashlar-new-" + some_digits));
  replace_text_file(folder / "a.txt", "new");
  EXPECT_EQ(content_of(theirs), "kept");
}

TEST_F(ReplacedFiles, MayHaveTheLongestNames) {
  for (const std::size_t length : {std::size_t(240), std::size_t(249), std::size_t(255)}) {
    for (const std::string& name : {std::string(length, 'x'), std::string(length % 2, 'x') + [&] {
                                      std::string two_bytes_each;
                                      for (std::size_t i = 0; i < length / 2; ++i) two_bytes_each += "\u00e9";
                                      return two_bytes_each;
                                    }()}) {
      const std::string path = folder / name;
      replace_text_file(path, "one");
      ReplacedFile named(path, ReplacedFile::Kind::named);
      write_text_file(named.new_name(), "two");
      named.take_name();
      EXPECT_EQ(content_of(path), "two");
    }
  }
  EXPECT_EQ(files().size(), 6u);
  EXPECT_THAT(message_of<FileError>([&] { replace_text_file(folder / std::string(256, 'x'), ""); }),
              HasSubstr("too long"));
}

TEST_F(ReplacedFiles, AreWhatALinkLeadsToEvenIfItIsMissing) {
  fs::create_directory(folder / "sub");
  fs::create_symlink("sub/second", folder / "first");
  fs::create_symlink("real.txt", folder / "sub/second");
  for (const std::string text : {"made", "replaced"}) {
    replace_text_file(folder / "first", text);
    EXPECT_TRUE(fs::is_symlink(folder / "first"));
    EXPECT_TRUE(fs::is_symlink(folder / "sub/second"));
    EXPECT_FALSE(fs::is_symlink(folder / "sub/real.txt"));
    EXPECT_EQ(content_of(folder / "sub/real.txt"), text);
  }
}

TEST_F(ReplacedFiles, OfALoopOfLinksAreRefused) {
  fs::create_symlink("second", folder / "first");
  fs::create_symlink("first", folder / "second");
  EXPECT_THAT(message_of<FileError>([&] { require_writable(folder / "first"); }), HasSubstr("symbolic links"));
  EXPECT_THAT(message_of<FileError>([&] { replace_text_file(folder / "first", ""); }), HasSubstr("symbolic links"));
  EXPECT_THAT(message_of<FileError>([&] { require_writable(folder / "first/a.txt"); }), HasSubstr("symbolic links"));
  EXPECT_EQ(files().size(), 2u);
}

TEST_F(ReplacedFiles, AreRemovedByASignalHandler) {
  ReplacedFile named(folder / "a.txt", ReplacedFile::Kind::named);
  EXPECT_EQ(files().size(), 1u);
  UnfinishedFile::remove_all();
  EXPECT_TRUE(files().empty());
}

}  // namespace
}  // namespace ashlar::testing
