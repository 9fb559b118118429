#pragma once

#include <optional>
#include <string>
#include <utility>

namespace ashlar::app {

/// A file and the option that names it, where it was given.
using NamedFile = std::pair<const char*, const std::optional<std::string>&>;

/// Throws FileError where both are one file, which is to be written to.
void require_distinct(const NamedFile& output, const NamedFile& other);

/// Whether what is read is gone: of a pipe, a terminal. A file that is missing, or that nobody may look at, is none of
/// these: opening it says what is wrong.
bool is_read_once(const std::string& path);

/// Whether the name is that of a block file, A.bcsr; or of a Matrix Market file, A.mtx.
bool is_block_file(const std::string& path);
bool is_matrix_market_file(const std::string& path);

}  // namespace ashlar::app
