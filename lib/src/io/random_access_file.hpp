#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace ashlar::io {

/// A regular file open for reading at any place, by any number of threads at once.
///
/// Throws   FileError when there is no such file, it cannot be read, or is no regular file.
class RandomAccessFile {
 public:
  explicit RandomAccessFile(std::string path);
  ~RandomAccessFile();
  RandomAccessFile(const RandomAccessFile&) = delete;
  RandomAccessFile& operator=(const RandomAccessFile&) = delete;

  const std::string& path() const { return path_; }
  /// As it was when the file was opened.
  std::uint64_t size() const { return size_; }
  /// Reads `bytes` bytes from `offset` on. Throws FileError where the file has fewer, or the disk fails.
  void read(std::uint64_t offset, std::size_t bytes, void* to) const;

 private:
  std::string path_;
  int file_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace ashlar::io
