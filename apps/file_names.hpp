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

/// Whether what is read is gone: of a pipe, a terminal. A file that is missing, or that nobody may look at, is none of
/// these: opening it says what is wrong.
bool is_read_once(const std::string& path);

/// The ending of the name in lower case: ".vtu" of X.VTU.
std::string ending_of(const std::string& path);

/// A reader takes a file for what its name ends in. Throws ArgumentError if the name ends in anything but `endings`.
/// A name without an ending may be any file, and what is no regular file needs none.
void require_ending(const std::string& option, const std::string& path, const std::vector<std::string>& endings,
                    const std::string& why, const std::string& suggestion);

/// Whether the name is that of a block file, A.bcsr; or of a Matrix Market file, A.mtx.
bool is_block_file(const std::string& path);
bool is_matrix_market_file(const std::string& path);

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

/// From here on signals that end the command remove the unfinished files first, and a file that has become as large as
/// `ulimit -f` allows is an error of writing instead of the end.
void handle_signals();

/// From here on writing to a pipe that nobody reads any more is an error of writing, instead of the end of the command:
/// what it has computed reaches its other outputs.
void survive_closed_pipes();

/// Flushes standard output. Returns a message where it has not taken all that was printed.
std::optional<std::string> standard_output_fault();

}  // namespace ashlar::app
