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

/// A file that all ranks write together, each its own bytes. Rank 0 makes it, as a ReplacedFile; it takes its name once
/// all have written theirs: whoever reads it meanwhile, or after a failure, finds all of the old file or all of the
/// new.
///
/// The ranks must see one file: those on other hosts by a file system that they share.
///
/// Async    every call is collective, and left by all ranks together.
/// Throws   FileError on the rank that cannot do its part, which says which rank that is, and RankError on the others;
///          from the constructor also for what is no regular file, and where a rank does not see what rank 0 has made.
class SharedFile {
 public:
  SharedFile(const Communicator& comm, const std::string& path);
  /// Without close() nothing is left behind.
  ~SharedFile() = default;
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  /// Each rank's bytes at a place of its own; `size` 0 where it has none.
  void write(std::uint64_t offset, const void* bytes, std::size_t size);

  /// Each rank's text behind those of the ranks before, and all of them behind what has been appended so far.
  void append(std::string_view text);

  void close();

 private:
  /// Rank 0 makes the new file; returns what the others call it.
  std::string make(ReplacedFile::Kind kind);
  /// work() on all ranks; what is wrong with the file is said with the rank.
  template <class Work>
  void on_all(const Work& work) const;

  const Communicator& comm_;
  std::string path_;
  std::optional<ReplacedFile> replaced_;  // on rank 0
  std::optional<io::PlacedWriter> file_;
  std::uint64_t end_ = 0;
};

}  // namespace ashlar
