#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace ashlar::io {

/// A new file that is written at places in any order; between them are zeros.
///
/// Left without close(), or at the first error, it is removed.
///
/// Throws   FileError from every operation; for what is there and is no regular file, which has no places.
class PlacedWriter {
 public:
  /// Errors name the file `shown`, whose place it is to take.
  PlacedWriter(std::string path, std::string shown);
  ~PlacedWriter();
  PlacedWriter(const PlacedWriter&) = delete;
  PlacedWriter& operator=(const PlacedWriter&) = delete;

  void write(std::uint64_t offset, const void* bytes, std::size_t size);
  void close();

 private:
  void discard() noexcept;
  [[noreturn]] void fail(int error_number);

  std::string path_, shown_;
  int file_ = -1;
};

}  // namespace ashlar::io
