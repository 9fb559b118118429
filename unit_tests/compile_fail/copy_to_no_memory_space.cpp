// A matrix is copied to a memory space; an execution space is none.
// expect: memory_space
#include <ashlar/bcsr/copy.hpp>

auto copy_to_an_execution_space(const ashlar::BcsrMatrix<double>& A) {
  return ashlar::copy_to<Kokkos::DefaultExecutionSpace>(Kokkos::DefaultExecutionSpace(), A);
}
