#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace ashlar::io {

/// A file that is written at places in any order; between them are zeros.
///
/// A new one is removed where it is left without close(), and at the first error.
///
/// Throws   FileError from every operation; for what is there and is no regular file, which has no places.
class PlacedWriter {
 public:
  /// Whose file it is: one that this makes, in the place of what is there, or one that another process has made and
  /// several write to, which stays whatever happens here.
  enum class File { made, shared };

  /// Errors name the file `shown`, whose place it is to take.
  PlacedWriter(std::string path, std::string shown, File file = File::made);
  ~PlacedWriter();
  PlacedWriter(const PlacedWriter&) = delete;
  PlacedWriter& operator=(const PlacedWriter&) = delete;

  void write(std::uint64_t offset, const void* bytes, std::size_t size);
  void close();

 private:
  void discard() noexcept;
  [[noreturn]] void fail(int error_number);

  void remove() noexcept;

  std::string path_, shown_;
  bool is_mine_;
  int file_ = -1;
};

}  // namespace ashlar::io
