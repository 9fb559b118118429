#pragma once

#include <ashlar/io/vtu.hpp>
#include <string>
#include <vector>

namespace ashlar::io {

/// Throws ArgumentError, which begins with `who`, where a field has no name of its own that can be shown.
void require_good_names(const std::string& who, const std::vector<PointField>& fields);

/// As XML has it in an attribute.
std::string escaped(const std::string& name);

}  // namespace ashlar::io
