// A matrix is of float, double or their complex types.
// expect: is_floating_point
#include <ashlar/bcsr/matrix.hpp>

std::int64_t matrix_of_integers(const ashlar::BcsrMatrix<int>& A) { return A.num_values(); }
