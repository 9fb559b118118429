#pragma once

#include <ashlar/io/vtu.hpp>
#include <string>
#include <vector>

namespace ashlar::io {

/// Writes the file (.pvtu) that makes one mesh of several, its pieces, which write_vtu() has written, each with the
/// same fields. Points that pieces share are in each of them.
///
/// Shapes   `pieces` are names relative to the folder of `path`; of `fields` the names and components count alone.
/// Throws   ArgumentError (the name of a field) before the file is touched; FileError when it cannot be written, all of
///          it: the incomplete file is removed.
void write_pvtu(const std::string& path, const std::vector<std::string>& pieces, const std::vector<PointField>& fields);

}  // namespace ashlar::io
