#include <ashlar/multigrid/multigrid.hpp>

namespace ashlar::multigrid {

template class Multigrid<Kokkos::DefaultExecutionSpace, float>;

}  // namespace ashlar::multigrid
