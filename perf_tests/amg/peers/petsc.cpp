// PETSc: CG with point-block Jacobi, and with smoothed aggregation (GAMG) and rigid-body modes.
#include <amg/peers/peers.hpp>

#if defined(ASHLAR_PERF_PETSC)

#include <petscksp.h>

#include <Kokkos_Timer.hpp>
#include <algorithm>
#include <cstdlib>

namespace ashlar::perf {
namespace {

Vec vector_of(const std::vector<double>& values) {
  Vec vector = nullptr;
  VecCreateSeq(PETSC_COMM_SELF, static_cast<PetscInt>(values.size()), &vector);
  double* data = nullptr;
  VecGetArray(vector, &data);
  std::copy(values.begin(), values.end(), data);
  VecRestoreArray(vector, &data);
  return vector;
}

Mat matrix_of(const HostSystem& system, bool in_blocks) {
  const auto n = static_cast<PetscInt>(system.num_rows());
  Mat matrix = nullptr;
  MatCreate(PETSC_COMM_SELF, &matrix);
  MatSetSizes(matrix, n, n, n, n);
  MatSetBlockSize(matrix, 3);
  MatSetType(matrix, MATSEQAIJ);
  MatSeqAIJSetPreallocationCSR(matrix, system.row_ptr.data(), system.col_idx.data(), system.values.data());
  if (in_blocks) MatConvert(matrix, MATSEQBAIJ, MAT_INPLACE_MATRIX, &matrix);
  MatSetOption(matrix, MAT_SPD, PETSC_TRUE);
  return matrix;
}

void set_rigid_body_modes(Mat matrix, const HostSystem& system) {
  Vec coordinates = vector_of(system.coordinates);
  VecSetBlockSize(coordinates, 3);
  MatNullSpace modes = nullptr;
  MatNullSpaceCreateRigidBody(coordinates, &modes);
  MatSetNearNullSpace(matrix, modes);
  MatNullSpaceDestroy(&modes);
  VecDestroy(&coordinates);
}

PeerSolve solve(const HostSystem& system, double rtol, bool with_amg) {
  if (PetscBool is_there = PETSC_FALSE; PetscInitialized(&is_there) == PETSC_SUCCESS && !is_there) {
    PetscInitializeNoArguments();
    std::atexit([] { PetscFinalize(); });
  }
  PeerSolve result;
  Mat matrix = matrix_of(system, !with_amg);
  Vec b = vector_of(system.load), x = vector_of(std::vector<double>(system.load.size()));
  Kokkos::Timer timer;
  if (with_amg) set_rigid_body_modes(matrix, system);
  KSP ksp = nullptr;
  KSPCreate(PETSC_COMM_SELF, &ksp);
  KSPSetType(ksp, KSPCG);
  KSPSetOperators(ksp, matrix, matrix);
  KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED);
  KSPSetTolerances(ksp, rtol, PETSC_CURRENT, PETSC_CURRENT, 10000);
  PC pc = nullptr;
  KSPGetPC(ksp, &pc);
  PCSetType(pc, with_amg ? PCGAMG : PCPBJACOBI);
  KSPSetUp(ksp);
  result.seconds_set_up = timer.seconds();
  if (with_amg) {
    PetscReal grids = 1, operators = 1;
    PCMGGetGridComplexity(pc, &grids, &operators);
    result.operator_complexity = operators;
  }
  timer.reset();
  KSPSolve(ksp, b, x);
  result.seconds_solve = timer.seconds();
  PetscInt iterations = 0;
  KSPGetIterationNumber(ksp, &iterations);
  result.iterations = static_cast<int>(iterations);
  const double* data = nullptr;
  VecGetArrayRead(x, &data);
  result.x.assign(data, data + system.load.size());
  VecRestoreArrayRead(x, &data);
  KSPDestroy(&ksp);
  MatDestroy(&matrix);
  VecDestroy(&b);
  VecDestroy(&x);
  return result;
}

}  // namespace

std::vector<AmgPeer> petsc_peers() {
  return {{"petsc", "block_jacobi", [](const HostSystem& s, double rtol) { return solve(s, rtol, false); }},
          {"petsc", "gamg, modes", [](const HostSystem& s, double rtol) { return solve(s, rtol, true); }}};
}

}  // namespace ashlar::perf

#else

namespace ashlar::perf {
std::vector<AmgPeer> petsc_peers() { return {}; }
}  // namespace ashlar::perf

#endif
