#include <ashlar/bcsr/coo.hpp>
#include "scan.hpp"
