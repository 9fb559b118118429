#include <ashlar/problems/cantilever.hpp>
