#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/io/placed_writer.hpp>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

namespace ashlar::io {

PlacedWriter::PlacedWriter(std::string path, std::string shown, File file)
    : path_(std::move(path)), shown_(std::move(shown)), is_mine_(file == File::made) {
  std::error_code error;
  const auto status = std::filesystem::status(path_, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw FileError(shown_, 0, "cannot be written", "it is no regular file, and is written at places in any order",
                    "name a file on a disk");
  }
  file_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC | (is_mine_ ? O_CREAT | O_TRUNC : 0), 0666);
  if (file_ < 0) fail(errno);
}

PlacedWriter::~PlacedWriter() { discard(); }

void PlacedWriter::write(std::uint64_t offset, const void* bytes, std::size_t size) {
  // The system writes no more than 2 GiB at once.
  constexpr std::size_t at_once = std::size_t(1) << 30;
  const auto* next = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t count = ::pwrite(file_, next, std::min(size, at_once), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail(count < 0 ? errno : ENOSPC);
    next += count;
    offset += static_cast<std::uint64_t>(count);
    size -= static_cast<std::size_t>(count);
  }
}

void PlacedWriter::close() {
  // Some file systems (NFS, quotas) report only here that the data did not fit.
  if (::close(std::exchange(file_, -1)) == 0) return;
  const int error_number = errno;
  remove();
  fail(error_number);
}

void PlacedWriter::discard() noexcept {
  if (file_ < 0) return;
  ::close(std::exchange(file_, -1));
  remove();
}

void PlacedWriter::remove() noexcept {
  if (is_mine_) ::unlink(path_.c_str());
}

void PlacedWriter::fail(int error_number) {
  discard();
  throw FileError(shown_, 0, "cannot be written", std::generic_category().message(error_number),
                  error_number == ENOSPC ? "free some space, or name a file on another disk" : "name another file");
}

}  // namespace ashlar::io
