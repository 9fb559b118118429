#include <ashlar/util/misc.hpp>
