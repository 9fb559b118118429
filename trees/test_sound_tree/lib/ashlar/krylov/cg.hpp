#include <ashlar/blas1/dot.hpp>
