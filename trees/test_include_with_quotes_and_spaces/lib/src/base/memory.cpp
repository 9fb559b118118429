#include "ashlar/bcsr/matrix.hpp"
