#pragma once

#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace ashlar {

/// The open descriptor that a name stands for: /dev/stdout, /dev/fd/3. The descriptor is written to directly: opening
/// it by name would truncate the file behind it and overwrite other writers' data.
std::optional<int> descriptor_of(const std::string& path);

/// Where writing to `path` puts the data: a link is followed to the file that it leads to, even if that is missing. Of
/// a loop of links the result is a link.
std::string link_target(const std::string& path);

/// Finds out now, before any work is done, whether a file can be written later.
///
/// Leaves an existing file as it is, and creates no file. Errors that only writing shows (a full disk) are reported
/// later by the writers.
///
/// Throws   FileError that says why: no name, no such folder, no permission, a folder in the place of the file, a loop
///          of links.
void require_writable(const std::string& path);

/// A file being written, through a buffer of its own. It is whole once close() has returned.
///
/// Left without close(), or at the first error, it is removed: no half of a file stays behind to be taken for all of
/// it. (A device or a link is never removed.)
///
/// Throws   FileError with the name of the file, from every operation.
class FileWriter {
 public:
  explicit FileWriter(std::string path);
  ~FileWriter() { discard(); }
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  void write(std::string_view characters) { write(characters.data(), characters.size()); }
  void write(const void* bytes, std::size_t size);
  void close();

 private:
  void flush();
  void discard() noexcept;
  [[noreturn]] void fail(int error_number);

  std::string path_;
  std::FILE* file_ = nullptr;
  std::string buffer_;
};

}  // namespace ashlar
