#include <ashlar/multigrid/multigrid.hpp>

namespace ashlar::multigrid {

template class Multigrid<Kokkos::DefaultExecutionSpace, double>;
template std::optional<RichardsonReport> richardson(const Kokkos::DefaultExecutionSpace&,
                                                    const Multigrid<Kokkos::DefaultExecutionSpace>&, Cycle);

}  // namespace ashlar::multigrid
