
#include <ashlar/spmv/impl/loop.hpp>
