#pragma once

#include <array>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>

namespace ashlar {

/// The bytes of a file in their order. A file that gzip has compressed is unpacked while it is read, if Ashlar was
/// built with zlib; several such files, one after another, are one.
///
/// Throws   FileError if there is no such file, it cannot be read, is a folder, or its compressed data is damaged.
class TextSource {
 public:
  explicit TextSource(const std::string& path);
  ~TextSource();
  TextSource(const TextSource&) = delete;
  TextSource& operator=(const TextSource&) = delete;

  /// The next `count` bytes, or those that are left.
  std::size_t read(char* to, std::size_t count);

  bool is_compressed() const { return unpacker_ != nullptr; }

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  struct Unpacker;

  std::size_t read_file(char* to, std::size_t count);
  std::size_t unpack(char* to, std::size_t count);

  std::string path_;
  std::unique_ptr<std::FILE, CloseFile> file_;
  std::array<char, 2> first_{};  // read to tell the kind of file
  std::size_t num_first_ = 0, place_ = 0;
  std::unique_ptr<Unpacker> unpacker_;
};

}  // namespace ashlar
