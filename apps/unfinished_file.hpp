#pragma once

#include <string>

namespace ashlar::app {

/// A file that is being written and has not got its name yet: removed when this ends, however that comes about, a
/// signal that ends the command (Ctrl-C, kill, a batch system's limit) included. Where there are several, the last one
/// that was made ends first.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(const std::string& path);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  /// For a signal handler, which may run at any time: removes those that there are.
  static void remove_all() noexcept;

 private:
  std::string path_;
  const UnfinishedFile* before_;
};

/// From here on signals that end the command remove the unfinished files first, and a file that has become as large as
/// `ulimit -f` allows is an error of writing instead of the end.
void handle_signals();

}  // namespace ashlar::app
