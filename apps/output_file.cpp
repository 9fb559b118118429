#include "output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <ashlar/base/text.hpp>
#include <ashlar/host/output_file.hpp>
#include <cerrno>
#include <filesystem>
#include <iostream>
#include <system_error>

namespace ashlar::app {

namespace {

/// A file that may be written may yet lie in a folder that takes no new one.
void require_new_file(const ReplacedFile& file, const std::string& path) {
  // Also where a signal comes now. (What is there already by this name was left by a process that had our number.)
  const UnfinishedFile unfinished(file.new_name());
  const int descriptor = ::open(file.new_name().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor >= 0) {
    ::close(descriptor);
  } else if (errno != EEXIST) {
    throw FileError(path, 0, "cannot be written",
                    text("a new file beside it: ", std::generic_category().message(errno)),
                    "make the folder one that takes new files, or name a file in another");
  }
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path == "-" ? "/dev/stdout" : path) {
  require_writable(path_);
  if (is_written_through(path_)) return;
  new_file_.emplace(path_);
  require_new_file(*new_file_, path_);
}

void OutputFile::flush_standard_output() { std::cout.flush(); }

bool is_written_through(const std::string& path) {
  std::error_code unknown;  // then opening it says what is wrong
  return path == "-" || descriptor_of(path) || std::filesystem::is_other(std::filesystem::status(path, unknown));
}

}  // namespace ashlar::app
