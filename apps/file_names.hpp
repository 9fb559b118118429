#pragma once

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

}  // namespace ashlar::app
