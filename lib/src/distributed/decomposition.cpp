#include <ashlar/distributed/options.hpp>

namespace ashlar {

std::string_view to_string(Decomposition decomposition) { return decomposition == Decomposition::one_d ? "1d" : "2d"; }

}  // namespace ashlar
