#include "random_access_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <cerrno>
#include <system_error>
#include <utility>

namespace ashlar::io {

namespace {

[[noreturn]] void fail_to_open(const std::string& path, int error_number) {
  const bool forbidden = error_number == EACCES || error_number == EPERM;
  throw FileError(path, 0, "cannot be opened", std::generic_category().message(error_number),
                  forbidden ? "check the permissions" : "check the name and the folder");
}

}  // namespace

RandomAccessFile::RandomAccessFile(std::string path) : path_(std::move(path)) {
  struct stat status = {};
  // Looked at before it is opened: opening a pipe would wait for its other end.
  if (::stat(path_.c_str(), &status) != 0) fail_to_open(path_, errno);
  if (S_ISDIR(status.st_mode)) throw FileError(path_, 0, "cannot be read", "it is a folder", "name a file");
  if (!S_ISREG(status.st_mode)) {
    throw FileError(path_, 0, "cannot be read", "it is no regular file, and is read at places in any order",
                    "copy it to a disk");
  }
  file_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (file_ < 0) fail_to_open(path_, errno);
  size_ = static_cast<std::uint64_t>(status.st_size);
}

RandomAccessFile::~RandomAccessFile() {
  if (file_ >= 0) ::close(file_);
}

void RandomAccessFile::read(std::uint64_t offset, std::size_t bytes, void* to) const {
  // The system reads no more than 2 GiB at once.
  constexpr std::size_t at_once = std::size_t(1) << 30;
  char* next = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t count = ::pread(file_, next, std::min(bytes, at_once), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      throw FileError(path_, 0, text("cannot be read at byte ", offset), std::generic_category().message(errno),
                      "check the disk");
    }
    if (count == 0) {
      throw FileError(path_, 0, text("ends at byte ", offset), text("it had ", size_, " bytes when it was opened"),
                      "leave the file as it is while it is read");
    }
    next += count;
    offset += static_cast<std::uint64_t>(count);
    bytes -= static_cast<std::size_t>(count);
  }
}

}  // namespace ashlar::io
