#pragma once

#include <ashlar/base/error.hpp>
#include <ashlar/host/replaced_file.hpp>
#include <optional>
#include <string>

#include "unfinished_file.hpp"

namespace ashlar::app {

/// Where an output of the command goes. A regular file is written under a new name beside its own (NAME.new-PID), and
/// renamed when it is whole: an error or a signal leaves what was there before, and no half. What is there and is no
/// regular file (standard output, which "-" means too, other open descriptors, pipes) is written to as it is.
///
/// Throws   FileError from the constructor where it cannot be written: nothing has been computed by then.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);

  /// Calls write(name), which writes a file of this name.
  ///
  /// Throws   FileError in the name of the output, and what `write` throws.
  template <class Write>
  void write(const Write& write) const {
    flush_standard_output();
    if (!new_file_) return write(path_);
    const UnfinishedFile unfinished(new_file_->new_name());
    try {
      write(new_file_->new_name());
    } catch (const FileError& fault) {
      throw FileError(path_, 0, "cannot be written", fault.why(), fault.suggestion());
    }
    new_file_->take_name();
  }

  /// The same with what itself writes by way of a ReplacedFile, which has the same new name.
  template <class Write>
  void write_replacing(const Write& write) const {
    const UnfinishedFile unfinished(new_file_ ? new_file_->new_name() : "");
    write(path_);
  }

  /// Whether it is written under a new name.
  bool is_replaced() const { return new_file_.has_value(); }

 private:
  /// What was printed before stands before it.
  static void flush_standard_output();

  std::string path_;
  std::optional<ReplacedFile> new_file_;
};

/// Whether writing to it twice spoils nothing: open descriptors, pipes, terminals.
bool is_written_through(const std::string& path);

}  // namespace ashlar::app
