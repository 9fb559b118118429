#include <ashlar/base/error.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/spmv/impl/loop.hpp>
// never Kokkos::fence(
auto s = "Kokkos::fence("; /* #include <ashlar/krylov/cg.hpp>
                            */
exec.fence("label");
