#include <unistd.h>

#include <ashlar/base/error.hpp>
#include <ashlar/host/file_writer.hpp>
#include <ashlar/host/output_file.hpp>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

namespace ashlar {

namespace {

constexpr std::size_t buffer_bytes = 1 << 20;

void remove_file(const std::string& path) noexcept {
  std::error_code ignored;
  if (std::filesystem::symlink_status(path, ignored).type() == std::filesystem::file_type::regular) {
    std::filesystem::remove(path, ignored);
  }
}

}  // namespace

FileWriter::FileWriter(std::string path) : path_(std::move(path)) {
  require_writable(path_);
  const auto descriptor = descriptor_of(path_);
  file_ = descriptor ? ::fdopen(::dup(*descriptor), "wb") : std::fopen(path_.c_str(), "wb");
  if (!file_) fail(errno);
  std::setvbuf(file_, nullptr, _IONBF, 0);
  buffer_.reserve(buffer_bytes);
}

void FileWriter::write(const void* bytes, std::size_t size) {
  if (buffer_.size() + size > buffer_bytes) flush();
  if (size >= buffer_bytes) {
    if (std::fwrite(bytes, 1, size, file_) != size) fail(errno);
  } else {
    buffer_.append(static_cast<const char*>(bytes), size);
  }
}

void FileWriter::flush() {
  if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size()) fail(errno);
  buffer_.clear();
}

void FileWriter::close() {
  flush();
  // Some file systems (NFS, quotas) report only here that the data did not fit.
  if (std::fclose(std::exchange(file_, nullptr)) != 0) {
    const int error_number = errno;
    remove_file(path_);
    fail(error_number);
  }
}

void FileWriter::discard() noexcept {
  if (!file_) return;
  std::fclose(std::exchange(file_, nullptr));
  remove_file(path_);
}

void FileWriter::fail(int error_number) {
  discard();
  throw FileError(path_, 0, "cannot be written", std::generic_category().message(error_number),
                  error_number == ENOSPC ? "free some space, or name a file on another disk" : "name another file");
}

}  // namespace ashlar
