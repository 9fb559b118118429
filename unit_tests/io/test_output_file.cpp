#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ashlar/base/error.hpp>
#include <ashlar/host/output_file.hpp>
#include <ashlar/host/text_file.hpp>
#include <ashlar/io/matrix_market.hpp>
#include <ashlar/io/vtk.hpp>
#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "file_size_limit.hpp"
#include "support/temporary_folder.hpp"

namespace ashlar::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

struct OutputFile : ::testing::Test {
  TemporaryFolder folder;

  template <class Write>
  static void expect_refused(const std::string& path, const std::string& text, const Write& write) {
    try {
      write();
      ADD_FAILURE() << "no error for " << path;
    } catch (const FileError& error) {
      EXPECT_EQ(error.file(), path);
      EXPECT_THAT(error.what(), HasSubstr(path));
      EXPECT_THAT(error.what(), HasSubstr(text));
    }
  }
  /// By the check, and by the writers themselves.
  static void expect_unwritable(const std::string& path, const std::string& text) {
    expect_refused(path, text, [&] { require_writable(path); });
    expect_refused(path, text, [&] { io::write_matrix_market_vector(path, std::vector<double>{1}); });
    expect_refused(path, text, [&] { io::write_matrix_market(path, CooMatrix<double>()); });
    expect_refused(path, text, [&] { io::write_vtu(path, {}, std::vector<std::int32_t>(), {}); });
    expect_refused(path, text, [&] { write_text_file(path, "text"); });
    expect_refused(path, text, [&] { replace_text_file(path, "text"); });
  }
};

TEST_F(OutputFile, NewFileIsWritableAndNotMade) {
  require_writable(folder / "new.mtx");
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

/// Ranks with the same arguments try one name at once, each of which makes the file for a moment.
TEST_F(OutputFile, ManyMayTryOneNameAtATime) {
  const std::string path = folder / "x.mtx";
  std::atomic<int> refused = 0;
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < 4; ++rank) {
    ranks.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) {
        try {
          require_writable(path);
        } catch (const FileError&) {
          ++refused;
        }
      }
    });
  }
  for (std::thread& rank : ranks) rank.join();
  EXPECT_EQ(refused, 0);
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(OutputFile, ExistingFileIsLeftAsItIs) {
  const std::string path = folder.write("old.mtx", "what it holds\n");
  const auto time = fs::last_write_time(path);
  require_writable(path);
  EXPECT_EQ(content_of(path), "what it holds\n");
  EXPECT_EQ(fs::last_write_time(path), time);
  const std::string empty = folder.write("empty.mtx", "");
  require_writable(empty);
  EXPECT_TRUE(fs::exists(empty));
}

TEST_F(OutputFile, NameInTheCurrentFolder) {
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  EXPECT_NO_THROW(require_writable("here.mtx"));
  EXPECT_TRUE(fs::is_empty("."));
  fs::current_path(before);
}

TEST_F(OutputFile, LinkToAFileThatIsNotThereYet) {
  fs::create_symlink("target.mtx", folder / "link.mtx");
  require_writable(folder / "link.mtx");
  EXPECT_FALSE(fs::exists(folder / "target.mtx"));
  EXPECT_TRUE(fs::is_symlink(folder / "link.mtx"));
  fs::create_symlink("nowhere/target.mtx", folder / "broken.mtx");
  expect_unwritable(folder / "broken.mtx", "no folder");
}

TEST_F(OutputFile, PipesAndDevices) {
  const std::string pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  require_writable(pipe);  // Without waiting for a reader.
  require_writable("/dev/null");
  EXPECT_TRUE(fs::exists("/dev/null"));
}

TEST_F(OutputFile, WhatCannotBeWritten) {
  expect_unwritable("", "no name");
  expect_unwritable(folder.path(), "it is a folder");
  expect_unwritable(folder / "none/a.mtx", "no folder");
  expect_unwritable(folder / "none/", "no folder");
  folder.write("file", "");
  expect_unwritable(folder / "file/a.mtx", "file");
  expect_unwritable(folder / (std::string(300, 'x') + ".mtx"), "too long");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
}

TEST_F(OutputFile, Permissions) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const std::string file = folder.write("file.mtx", "kept");
  fs::permissions(file, fs::perms::owner_read);
  expect_unwritable(file, "ermission denied");
  EXPECT_EQ(content_of(file), "kept");
  fs::create_directory(folder / "locked");
  fs::permissions(folder / "locked", fs::perms::owner_read | fs::perms::owner_exec);
  expect_unwritable(folder / "locked/a.mtx", "ermission denied");
}

TEST_F(OutputFile, FullDisk) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  const std::string full = "/dev/full";
  const std::vector<double> vector(1000, 0.5);
  expect_refused(full, "No space left", [&] { io::write_matrix_market_vector(full, vector); });
  expect_refused(full, "No space left", [&] { io::write_vtu(full, {}, std::vector<std::int64_t>(), {}); });
  expect_refused(full, "No space left", [&] { write_text_file(full, "text"); });
  EXPECT_TRUE(fs::exists(full));
}

TEST_F(OutputFile, TextIsWrittenAsItIs) {
  const std::string path = folder.write("old.txt", "a longer text that was there before\n");
  const std::string text("two\r\nlines \0 and a zero", 23);
  write_text_file(path, text);
  EXPECT_EQ(content_of(path), text);
  write_text_file(path, "");
  EXPECT_EQ(content_of(path), "");
}

TEST_F(OutputFile, NoHalfFileStaysBehind) {
  const std::string path = folder / "half";
  const std::vector<double> large(300000, 0.123456789);  // Several times the buffer.
  {
    const FileSizeLimit limit(1500000);
    expect_refused(path, "too large", [&] { io::write_matrix_market_vector(path, large); });
    EXPECT_FALSE(fs::exists(path));
    expect_refused(path, "too large", [&] { io::write_vtu(path, large, std::vector<std::int64_t>(), {}); });
    EXPECT_FALSE(fs::exists(path));
    expect_refused(path, "too large", [&] { write_text_file(path, std::string(2000000, 'x')); });
    EXPECT_FALSE(fs::exists(path));
  }
  io::write_matrix_market_vector(path, large);
  EXPECT_EQ(io::read_matrix_market_vector<double>(path), large);
}

}  // namespace
}  // namespace ashlar::testing
