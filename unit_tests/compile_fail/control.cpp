// The other cases, as they should be written.
// expect: compiles
#include <ashlar/base/concepts.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/spmv/spmv.hpp>

template <ashlar::vector_view V>
std::size_t length(const V& v) {
  return v.extent(0);
}

std::size_t contiguous_vector(const Kokkos::View<double*>& v) { return length(v); }

std::int64_t matrix_of_reals(const ashlar::BcsrMatrix<double>& A) { return A.num_values(); }

ashlar::BcsrMatrix<double>::in_space<Kokkos::HostSpace> copy_to_a_memory_space(const ashlar::BcsrMatrix<double>& A) {
  return ashlar::copy_to<Kokkos::HostSpace>(Kokkos::DefaultExecutionSpace(), A);
}

void product(const Kokkos::DefaultExecutionSpace& exec, const ashlar::BcsrMatrix<double>& A,
             const Kokkos::View<const double*>& x, const Kokkos::View<double*>& y) {
  ashlar::spmv(exec, 1.0, A, x, 0.0, y);
}
