#pragma once

#include <ashlar/io/block_file_places.hpp>

#include "block_file_format.hpp"

namespace ashlar::io {

/// The header of a new file, without its checksums.
///
/// Throws   as BlockFilePlaces does.
BlockFileHeader new_block_file_header(const BlockFileContent& content, const BlockFileOptions& options);

}  // namespace ashlar::io
