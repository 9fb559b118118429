#pragma once

#include <string>

namespace ashlar::app {

/// A file that is being written and has not got its name yet: removed when this ends, however that comes about, a
/// signal that ends the command (Ctrl-C, kill, a batch system's limit) included. One at a time.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(const std::string& path);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

 private:
  std::string path_;
};

/// From here on signals that end the command remove the unfinished file first, and a file that has become as large as
/// `ulimit -f` allows is an error of writing instead of the end.
void handle_signals();

}  // namespace ashlar::app
