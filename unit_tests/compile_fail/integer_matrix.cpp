// A matrix is of float, double, their complex types, or bfloat16.
// expect: matrix_value
#include <ashlar/bcsr/matrix.hpp>

std::int64_t matrix_of_integers(const ashlar::BcsrMatrix<int>& A) { return A.num_values(); }
