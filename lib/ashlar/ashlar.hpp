#pragma once

// All that a program on one device needs: solve() for arrays, matrices and how to build them, products, solvers,
// preconditioners and files.
//
// This header takes the compiler a second more than Kokkos_Core.hpp. solve(), LinearSolver and BcsrSolver are compiled
// in the library. The kernels of cg() and its kin are compiled in the program that calls them, which takes some 10 s,
// and with amg::Preconditioner 25.
//
// Include more for
//
//     many ranks          ashlar/comm/mpi/communicator.hpp, ashlar/distributed/operator.hpp (component MPI)
//     streamed matrices   ashlar/streaming/streamed_matrix.hpp, ashlar/streaming/file_matrix.hpp
//     Kokkos Kernels      ashlar/interop/kokkos_kernels.hpp, ashlar/interop/kokkos_kernels/ilu0_preconditioner.hpp,
//                         ashlar/interop/kokkos_kernels/ssor_preconditioner.hpp (component KokkosKernels)
//     Tpetra and Belos    ashlar/interop/tpetra.hpp (component Tpetra)
//     boxes               ashlar/multigrid/multigrid.hpp: geometric multigrid
//     test problems       ashlar/problems/cantilever.hpp, ashlar/problems/stencil11.hpp,
//                         ashlar/problems/convection_diffusion_reaction.hpp

#include <ashlar/amg/near_null_space.hpp>
#include <ashlar/amg/preconditioner.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/version.hpp>
#include <ashlar/bcsr/block_coo.hpp>
#include <ashlar/bcsr/build_by_rows.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/bcsr/csr.hpp>
#include <ashlar/bcsr/from_csr.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/bcsr/to_csr.hpp>
#include <ashlar/bcsr/validate.hpp>
#include <ashlar/io/block_file.hpp>
#include <ashlar/io/matrix_market.hpp>
#include <ashlar/io/vtk.hpp>
#include <ashlar/krylov/bicgstab.hpp>
#include <ashlar/krylov/block_cg.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/gmres.hpp>
#include <ashlar/krylov/iterative_refinement.hpp>
#include <ashlar/krylov/make_operator.hpp>
#include <ashlar/krylov/minres.hpp>
#include <ashlar/krylov/null_space.hpp>
#include <ashlar/operators/any_operator.hpp>
#include <ashlar/operators/any_preconditioner.hpp>
#include <ashlar/operators/bcsr_operator.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <ashlar/operators/jacobi_preconditioner.hpp>
#include <ashlar/solve/linear_solver.hpp>
#include <ashlar/solve/solve.hpp>
#include <ashlar/solve/solve_matrix.hpp>
#include <ashlar/spmv/spmv.hpp>
