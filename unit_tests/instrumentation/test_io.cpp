#include <unistd.h>

#include <ashlar/io/block_file.hpp>
#include <cstdio>
#include <filesystem>
#include <string>

#include "instrumentation/expect.hpp"

namespace ashlar::testing {
namespace {

class BlockFileConduct : public ::testing::Test {
 protected:
  ~BlockFileConduct() override { std::remove(path.c_str()); }

  const Exec exec = other_instance();
  const Matrix matrix = problems::stencil11<Matrix>(exec, 5, 4, 3, 2);
  const std::string path =
      (std::filesystem::temp_directory_path() / ("ashlar-conduct-" + std::to_string(::getpid()) + ".bcsr")).string();
};

TEST_F(BlockFileConduct, Write) {
  expect_kept(exec, Promise::on_host, [&] { io::write_block_file(exec, path, matrix); });
}

TEST_F(BlockFileConduct, Read) {
  io::write_block_file(exec, path, matrix);
  expect_kept(exec, Promise::on_host, [&] { return io::read_block_file<Matrix>(exec, path); });
}

}  // namespace
}  // namespace ashlar::testing
