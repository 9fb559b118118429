#include <ashlar/krylov/cg.hpp>
#include <ashlar/spmv/spmv.hpp>
