#include <ashlar/bcsr/copy.hpp>
