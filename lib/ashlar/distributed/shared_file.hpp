#pragma once

#include <ashlar/comm/communicator.hpp>
#include <ashlar/host/replaced_file.hpp>
#include <ashlar/io/block_file_writer.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ashlar {

/// A file that all ranks write together, each its own bytes. Rank 0 makes it as a ReplacedFile, which is renamed when
/// all ranks have written. So a reader finds the whole old file or the whole new one, also after a failure.
///
/// All ranks must see one file: ranks on several hosts share a file system.
///
/// Async    every call is collective, and all ranks leave it together.
/// Throws   FileError on the rank at fault, with its number, and RankError on the others; the constructor also if the
///          path is no regular file, or a rank does not see the file of rank 0.
class SharedFile {
 public:
  SharedFile(const Communicator& comm, const std::string& path);
  /// Without close() no file remains.
  ~SharedFile() = default;
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  /// Writes each rank's bytes at its own offset; `size` is 0 if it has none.
  void write(std::uint64_t offset, const void* bytes, std::size_t size);

  /// Appends the texts of all ranks in rank order.
  void append(std::string_view text);

  void close();

 private:
  /// Rank 0 makes the new file. Returns its name for the other ranks.
  std::string make(ReplacedFile::Kind kind);
  /// Calls work() on all ranks; a FileError names the rank.
  template <class Work>
  void on_all(const Work& work) const;

  const Communicator& comm_;
  std::string path_;
  std::optional<ReplacedFile> replaced_;  // on rank 0
  std::optional<io::PlacedWriter> file_;
  std::uint64_t end_ = 0;
};

}  // namespace ashlar
