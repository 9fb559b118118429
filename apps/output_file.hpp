#pragma once

#include <ashlar/host/replaced_file.hpp>
#include <string>

namespace ashlar::app {

/// Where an output of the command goes. A regular file is replaced once the new one is complete (ReplacedFile): an
/// error or a signal leaves what was there before, and no half. What is there and is no regular file (standard output,
/// which
/// "-" means too, other open descriptors, pipes) is written to as it is.
///
/// Throws   FileError from the constructor if it cannot be written: nothing has been computed by then.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);

  /// Calls write(name), which writes a file of this name.
  ///
  /// Throws   FileError in the name of the output, and what `write` throws.
  template <class Write>
  void write(const Write& write) const {
    flush_standard_output();
    is_replaced_ ? replace_file(path_, write) : write(path_);
  }

  /// Whether a new file takes its place.
  bool is_replaced() const { return is_replaced_; }

 private:
  /// What was printed before stands before it.
  static void flush_standard_output();

  std::string path_;
  bool is_replaced_;
};

/// Whether it is no regular file, and is written to as it is: open descriptors, pipes, terminals.
bool is_written_through(const std::string& path);

}  // namespace ashlar::app
