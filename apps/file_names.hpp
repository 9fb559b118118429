#pragma once

#include <ashlar/host/replaced_file.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ashlar::app {

/// A file and the option that names it, where it was given.
using NamedFile = std::pair<const char*, const std::optional<std::string>&>;

/// Throws FileError if both are one file, or one stream, which is to be written to. Any number of outputs may go to
/// /dev/null and to a terminal.
void require_distinct(const NamedFile& output, const NamedFile& other);

/// Throws ArgumentError if an input is named "-", which stands for standard output.
void require_no_dash(const NamedFile& input);

/// True if data can be read only once, as from a pipe or a terminal. False for a file that is missing or not
/// accessible: opening it reports the error.
bool is_read_once(const std::string& path);

/// The ending of the name in lower case: ".vtu" of X.VTU.
std::string ending_of(const std::string& path);

/// A reader recognises a file by the ending of its name. Throws ArgumentError if the name ends in anything but
/// `endings`. A name without an ending may be any file, and a path that is no regular file needs none.
void require_ending(const std::string& option, const std::string& path, const std::vector<std::string>& endings,
                    const std::string& why, const std::string& suggestion);

/// True for the name of a block file: A.bcsr.
bool is_block_file(const std::string& path);

// Names of files that may be compressed, A.mtx.gz.

/// True for the name of a Matrix Market file: A.mtx.
bool is_matrix_market_file(const std::string& path);
/// True for A.rb, A.rsa, A.rua and A.hb.
bool is_harwell_boeing_file(const std::string& path);
/// True for A.petsc and A.bin.
bool is_petsc_file(const std::string& path);

/// The path to which an output of the command is written. A regular file is replaced once the new one is complete
/// (ReplacedFile): after an error or a signal the old file is still there, and no half. A path that is no regular file
/// (standard output, which "-" means too, other open descriptors, pipes) is written to directly.
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

  /// True if a new file takes its place.
  bool is_replaced() const { return is_replaced_; }

 private:
  /// Flushes earlier output first, so that it comes first.
  static void flush_standard_output();

  std::string path_;
  bool is_replaced_;
};

/// True if it is no regular file, and is written to as it is: open descriptors, pipes, terminals.
bool is_written_through(const std::string& path);

/// From here on signals that end the command remove the unfinished files first, and a file that has become as large as
/// `ulimit -f` allows is an error of writing instead of the end.
void handle_signals();

/// From here on writing to a pipe without readers is a write error instead of the end of the command: the results still
/// reach the other outputs.
void survive_closed_pipes();

/// Flushes standard output. Returns a message where it has not taken all that was printed.
std::optional<std::string> standard_output_fault();

}  // namespace ashlar::app
