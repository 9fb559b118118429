// Names of open descriptors: what writers do with them.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <ashlar/base/error.hpp>
#include <ashlar/host/output_file.hpp>
#include <ashlar/host/text_file.hpp>
#include <string>

#include "support/temporary_folder.hpp"

namespace ashlar::testing {
namespace {

TEST(OpenDescriptor, IsKnownByItsName) {
  EXPECT_EQ(descriptor_of("/dev/stdout"), 1);
  EXPECT_EQ(descriptor_of("/dev/stderr"), 2);
  EXPECT_EQ(descriptor_of("/dev/fd/37"), 37);
  EXPECT_EQ(descriptor_of("/proc/self/fd/4"), 4);
  for (const std::string path :
       {"/dev/null", "/dev/fd/", "/dev/fd/x", "/dev/fd/1x", "/dev/fd/-1", "/dev/stdin", "1", ""}) {
    EXPECT_EQ(descriptor_of(path), std::nullopt) << path;
  }
}

/// What is in the file already stays, and so does the descriptor.
TEST(OpenDescriptor, IsWrittenOn) {
  const TemporaryFolder folder;
  const std::string path = folder / "log";
  const int log = ::open(path.c_str(), O_WRONLY | O_CREAT, 0666);
  ASSERT_GE(log, 0);
  const std::string name = "/dev/fd/" + std::to_string(log);
  ASSERT_EQ(::write(log, "before\n", 7), 7);
  require_writable(name);
  write_text_file(name, "text\n");
  EXPECT_EQ(::write(log, "after\n", 6), 6);
  ::close(log);
  EXPECT_EQ(read_text_file(path), "before\ntext\nafter\n");
}

TEST(OpenDescriptor, MayBeAPipe) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  write_text_file("/dev/fd/" + std::to_string(pipe[1]), "text");
  ::close(pipe[1]);
  std::array<char, 8> read{};
  EXPECT_EQ(::read(pipe[0], read.data(), read.size()), 4);
  EXPECT_EQ(std::string(read.data()), "text");
  ::close(pipe[0]);
}

TEST(OpenDescriptor, IsRefusedWhereItIsClosedOrForReading) {
  EXPECT_THROW(require_writable("/dev/fd/987"), FileError);
  EXPECT_THROW(write_text_file("/dev/fd/987", ""), FileError);
  const int null = ::open("/dev/null", O_RDONLY);
  EXPECT_THROW(require_writable("/dev/fd/" + std::to_string(null)), FileError);
  ::close(null);
}

}  // namespace
}  // namespace ashlar::testing
