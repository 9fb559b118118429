#include <fcntl.h>
#include <unistd.h>

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/host/file_descriptor.hpp>
#include <ashlar/host/output_file.hpp>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

namespace ashlar {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why, const std::string& suggestion) {
  throw FileError(path, 0, "cannot be written", why, suggestion);
}

std::string reason(int error_number) { return std::generic_category().message(error_number); }

/// True if the folder accepts a new file, tested by a file without a name that nobody ever sees.
bool takes_unnamed_file(const fs::path& folder) {
  const FileDescriptor file(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666));
  return file.is_open();
}

}  // namespace

std::string link_target(const std::string& path) {
  fs::path target = path;
  std::error_code error;
  if (fs::is_other(fs::status(target, error))) return path;  // links of /proc to a pipe have no name to follow
  for (int i = 0; i < 40 && fs::is_symlink(target, error); ++i) {
    target = target.parent_path() / fs::read_symlink(target, error);
  }
  return target.string();
}

std::optional<int> descriptor_of(const std::string& path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    int number = -1;
    const char* const end = path.data() + path.size();
    const auto [stop, error] = std::from_chars(path.data() + folder.size(), end, number);
    if (error == std::errc() && stop == end && number >= 0) return number;
  }
  return std::nullopt;
}

void require_writable(const std::string& path) {
  if (path.empty()) refuse(path, "the file has no name", "name a file");
  if (const auto descriptor = descriptor_of(path)) {
    const int flags = ::fcntl(*descriptor, F_GETFL);
    if (flags < 0) refuse(path, reason(errno), "open it, or name a file");
    if ((flags & O_ACCMODE) == O_RDONLY) refuse(path, "it is open for reading only", "name another file");
    return;
  }
  const fs::path target = link_target(path);
  std::error_code error;
  const fs::file_status status = fs::status(target, error);
  if (error.value() == ELOOP) refuse(path, reason(ELOOP), "mend the links, or name another file");
  if (error.value() == ENAMETOOLONG) refuse(path, reason(ENAMETOOLONG), "name it shorter");
  if (fs::is_directory(status)) refuse(path, "it is a folder", "name a file in it");
  if (fs::exists(status)) {
    // Only a regular file is tried by opening it: opening a pipe would wait for its other end.
    const bool regular = fs::is_regular_file(status);
    const int file = regular ? ::open(target.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC) : ::access(path.c_str(), W_OK);
    // A file that another process (another rank with the same arguments) made for this test may be gone again.
    const bool is_gone = file < 0 && errno == ENOENT;
    if (file < 0 && !is_gone) refuse(path, reason(errno), "change its permissions, or name another file");
    if (file >= 0 && regular) ::close(file);
    if (!is_gone) return;
  }

  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  if (!target.has_filename())
    refuse(path, text("there is no folder ", folder), "make the folder and name a file in it");
  const fs::file_status folder_status = fs::status(folder, error);
  if (error && folder_status.type() == fs::file_type::none) refuse(path, error.message(), "name another folder");
  if (!fs::exists(folder_status)) refuse(path, text("there is no folder ", folder), "make the folder first");
  if (!fs::is_directory(folder_status)) refuse(path, text(folder, " is no folder"), "name another folder");

  if (takes_unnamed_file(folder)) return;
  const int file = ::open(target.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file >= 0) {
    ::close(file);
    ::unlink(target.c_str());
  } else if (errno != EEXIST) {  // another process may be trying it just now
    refuse(path, reason(errno), "change the permissions of the folder, or name another");
  }
}

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
