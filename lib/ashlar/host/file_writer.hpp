#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace ashlar {

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
