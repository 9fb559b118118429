#pragma once

#include <string>

namespace ashlar {

/// The name of a file that is being written and has not got its own name yet: removed by the destructor, or by
/// remove_all() if a signal ends the process before.
///
/// Async    several threads may have some at a time. Of more than 16 at a time the rest is removed by destructors
/// alone.
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

}  // namespace ashlar
