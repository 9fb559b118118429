#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

namespace ashlar {

/// Writes a file that holds this text and nothing else.
///
/// Throws   FileError when it cannot be written, all of it: the incomplete file is removed.
void write_text_file(const std::string& path, std::string_view text);

/// The same by way of a new file beside it that takes its name once it is whole: whoever reads `path` meanwhile, or
/// after a failure, finds all of the old text or all of the new.
///
/// A link stays one, and its target is replaced; permissions stay. A path that is no regular file (a terminal, a pipe)
/// is written to directly.
///
/// Throws   FileError; what was there is then still there.
void replace_text_file(const std::string& path, std::string_view text);

/// True if this Ashlar was built with zlib: then files that gzip has compressed are read like others.
bool reads_compressed_files();

/// Bytes of the text in a regular file, 0 for other paths and for files that are missing. The last bytes of a
/// compressed file tell an estimate, never less than the size of the file: it is too small for more than 4 GiB or
/// several parts.
std::uint64_t text_size(const std::string& path);

/// All that a file holds.
///
/// Throws   FileError when there is no such file, it cannot be read, is a folder, or is larger than max_bytes.
std::string read_text_file(const std::string& path, std::size_t max_bytes = std::size_t(1) << 30);

/// The content of a file, or its beginning, in memory. A file that gzip has compressed is unpacked while it is read
/// (reads_compressed_files()); nothing is written to a disk.
///
/// Read, not mapped: a file that another program cuts short while it is mapped would end this one with a signal.
///
/// Throws   FileError when there is no such file, it cannot be read, is a folder, its compressed data is damaged, or it
///          does not fit memory.
class FileText {
 public:
  /// Checks the first bytes of a file, up to `beginning_bytes`, before the rest is read, and throws if it is the wrong
  /// one: /dev/zero has no end.
  using Check = std::function<void(std::string_view beginning)>;
  static constexpr std::size_t beginning_bytes = 1 << 16;

  explicit FileText(const std::string& path, std::size_t max_bytes = std::numeric_limits<std::size_t>::max(),
                    const Check& check = {});

  std::string_view view() const { return {text_.get(), size_}; }
  bool is_whole_file() const { return whole_; }

 private:
  std::unique_ptr<char[]> text_;
  std::size_t size_ = 0;
  bool whole_ = false;
};

}  // namespace ashlar
