#pragma once

#include <string>
#include <string_view>

namespace ashlar::io {

/// Writes a file that holds this text and nothing else.
///
/// Throws   FileError when it cannot be written, all of it: the incomplete file is removed.
void write_text_file(const std::string& path, std::string_view text);

}  // namespace ashlar::io
