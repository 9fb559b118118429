#pragma once

#include <ashlar/base/error.hpp>
#include <ashlar/host/file_descriptor.hpp>
#include <optional>
#include <string>

namespace ashlar {

/// The name of a file that is being written and has not got its own name yet: removed by the destructor, or by
/// remove_all() if a signal ends the process before.
///
/// Async    several threads may have some at a time. If there are more than 16 at a time, only destructors remove the
///          others.
class UnfinishedFile {
 public:
  /// `path` is absolute: it counts when the signal comes.
  explicit UnfinishedFile(std::string path);
  /// Harmless if it has been renamed.
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  const std::string& path() const { return path_; }

  /// For a signal handler, which may run at any time: removes those that there are.
  static void remove_all() noexcept;

 private:
  std::string path_;
  int slot_;
};

/// A new file in the folder of `path`, which takes the name `path` once it is complete: whoever reads that meanwhile,
/// or after a failure, finds all of the old file or all of the new.
///
/// Until then the file has no name if the file system allows that (O_TMPFILE): nothing is left behind, however the
/// process ends. Elsewhere it is named `path`.ashlar-new-XXXXXXXXXXXXXXXX, at most 249 bytes, and locked. If the
/// process is killed, the next ReplacedFile for the same `path` removes it.
///
/// A link stays a link, and the file that it leads to is replaced, or made if it is missing. Permissions stay. What is
/// no regular file (a terminal, a pipe) is written to as it is.
///
/// Throws   FileError in the name of `path`.
class ReplacedFile {
 public:
  /// unnamed, or named if other processes open it by new_name().
  enum class Kind { unnamed, named };

  explicit ReplacedFile(const std::string& path, Kind kind = Kind::unnamed);
  /// Without take_name() nothing is left behind.
  ~ReplacedFile() = default;
  ReplacedFile(const ReplacedFile&) = delete;
  ReplacedFile& operator=(const ReplacedFile&) = delete;

  /// By which the new file is opened for writing; a file without a name by its descriptor, /proc/self/fd/N.
  const std::string& new_name() const { return new_name_; }
  bool is_replaced() const { return is_replaced_; }
  /// True if the new file has no name yet. Other processes of this host may find it as /proc/PID/fd/N.
  bool is_unnamed() const { return is_replaced_ && !named_; }

  /// Once it is complete.
  void take_name();

 private:
  [[noreturn]] void fail_to_replace(int error_number) const;
  bool make_unnamed();
  void make_named();
  void remove_left_overs() const;
  /// A name in the folder of the target that no other process takes.
  std::string temporary_name() const;

  std::string path_, target_, new_name_;
  FileDescriptor file_;  ///< keeps the file that has no name, or the lock of one that has
  std::optional<UnfinishedFile> named_;
  std::optional<unsigned> permissions_;  ///< of the file that is there
  bool is_replaced_ = true;
};

/// Calls write(name) with the name of a ReplacedFile, which then takes the name `path`.
///
/// Throws   FileError in the name of `path`, and what `write` throws; what was there is then still there.
template <class Write>
void replace_file(const std::string& path, const Write& write) {
  ReplacedFile replaced(path);
  if (!replaced.is_replaced()) return write(path);
  try {
    write(replaced.new_name());
  } catch (const FileError& fault) {
    throw FileError(path, 0, "cannot be written", fault.why(), fault.suggestion());
  }
  replaced.take_name();
}

}  // namespace ashlar
