#include <ashlar/io/vtu.hpp>
