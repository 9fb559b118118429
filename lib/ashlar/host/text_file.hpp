#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ashlar {

/// Writes a file that holds this text and nothing else.
///
/// Throws   FileError when it cannot be written, all of it: the incomplete file is removed.
void write_text_file(const std::string& path, std::string_view text);

/// The same by way of a new file beside it that takes its name once it is whole: whoever reads `path` meanwhile, or
/// after a failure, finds all of the old text or all of the new.
///
/// A link stays one, and what it leads to is replaced; permissions stay. What is no regular file (a terminal, a pipe)
/// is written to as it is.
///
/// Throws   FileError; what was there is then still there.
void replace_text_file(const std::string& path, std::string_view text);

/// All that a file holds.
///
/// Throws   FileError when there is no such file, it cannot be read, is a folder, or is larger than max_bytes.
std::string read_text_file(const std::string& path, std::size_t max_bytes = std::size_t(1) << 30);

}  // namespace ashlar
