#include "../krylov/cg.hpp"
