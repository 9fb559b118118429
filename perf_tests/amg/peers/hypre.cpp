// hypre: CG with BoomerAMG, by unknowns; with one level of aggressive coarsening; and by nodes with rotations as
// vectors to interpolate.
#include <amg/peers/peers.hpp>

#if defined(ASHLAR_PERF_HYPRE)

#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>
#include <mpi.h>

#include <Kokkos_Timer.hpp>
#include <cstdlib>
#include <numeric>

namespace ashlar::perf {
namespace {

void initialize() {
  int has_mpi = 0;
  MPI_Initialized(&has_mpi);
  if (has_mpi == 0) {
    MPI_Init(nullptr, nullptr);
    std::atexit([] {
      int is_over = 0;
      MPI_Finalized(&is_over);
      if (is_over == 0) MPI_Finalize();
    });
  }
  if (HYPRE_Initialized() == 0) HYPRE_Initialize();
}

struct HypreVector {
  HYPRE_IJVector rows = nullptr;
  HYPRE_ParVector vector = nullptr;

  explicit HypreVector(const std::vector<double>& values) {
    const auto n = static_cast<HYPRE_Int>(values.size());
    HYPRE_IJVectorCreate(MPI_COMM_SELF, 0, n - 1, &rows);
    HYPRE_IJVectorSetObjectType(rows, HYPRE_PARCSR);
    HYPRE_IJVectorInitialize(rows);
    HYPRE_IJVectorSetValues(rows, n, nullptr, values.data());
    HYPRE_IJVectorAssemble(rows);
    HYPRE_IJVectorGetObject(rows, reinterpret_cast<void**>(&vector));
  }
  ~HypreVector() { HYPRE_IJVectorDestroy(rows); }
  HypreVector(const HypreVector&) = delete;
  HypreVector& operator=(const HypreVector&) = delete;
};

HYPRE_IJMatrix matrix_of(const HostSystem& system) {
  const int n = system.num_rows();
  HYPRE_IJMatrix matrix = nullptr;
  HYPRE_IJMatrixCreate(MPI_COMM_SELF, 0, n - 1, 0, n - 1, &matrix);
  HYPRE_IJMatrixSetObjectType(matrix, HYPRE_PARCSR);
  std::vector<HYPRE_Int> lengths(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = system.row_ptr[i + 1] - system.row_ptr[i];
  std::vector<HYPRE_BigInt> rows(lengths.size()), columns(system.col_idx.begin(), system.col_idx.end());
  std::iota(rows.begin(), rows.end(), 0);
  HYPRE_IJMatrixSetRowSizes(matrix, lengths.data());
  HYPRE_IJMatrixInitialize(matrix);
  HYPRE_IJMatrixSetValues(matrix, n, lengths.data(), rows.data(), columns.data(), system.values.data());
  HYPRE_IJMatrixAssemble(matrix);
  return matrix;
}

enum class Form { unknowns, aggressive, nodes };

HYPRE_Solver make_amg(Form form, HYPRE_ParVector* rotations) {
  HYPRE_Solver amg = nullptr;
  HYPRE_BoomerAMGCreate(&amg);
  HYPRE_BoomerAMGSetTol(amg, 0);
  HYPRE_BoomerAMGSetMaxIter(amg, 1);
  HYPRE_BoomerAMGSetCoarsenType(amg, 10);  // HMIS
  HYPRE_BoomerAMGSetInterpType(amg, 6);    // extended+i
  HYPRE_BoomerAMGSetPMaxElmts(amg, 4);
  HYPRE_BoomerAMGSetNumFunctions(amg, 3);
  HYPRE_BoomerAMGSetStrongThreshold(amg, form == Form::nodes ? 0.25 : 0.5);
  HYPRE_BoomerAMGSetAggNumLevels(amg, form == Form::aggressive ? 1 : 0);
  if (form == Form::nodes) {
    HYPRE_BoomerAMGSetNodal(amg, 4);  // row-sum norms of blocks
    HYPRE_BoomerAMGSetNodalDiag(amg, 1);
    HYPRE_BoomerAMGSetInterpVectors(amg, 3, rotations);
    HYPRE_BoomerAMGSetInterpVecVariant(amg, 2);
    HYPRE_BoomerAMGSetInterpVecQMax(amg, 4);
  }
  return amg;
}

PeerSolve solve(const HostSystem& system, double rtol, Form form) {
  initialize();
  PeerSolve result;
  HYPRE_IJMatrix rows = matrix_of(system);
  HYPRE_ParCSRMatrix matrix = nullptr;
  HYPRE_IJMatrixGetObject(rows, reinterpret_cast<void**>(&matrix));
  const HypreVector b(system.load), x(std::vector<double>(system.load.size()));
  const auto modes = rigid_body_modes_of(system);
  const HypreVector rotation[3] = {HypreVector(modes[3]), HypreVector(modes[4]), HypreVector(modes[5])};
  HYPRE_ParVector rotations[3] = {rotation[0].vector, rotation[1].vector, rotation[2].vector};
  HYPRE_Solver cg = nullptr;
  HYPRE_ParCSRPCGCreate(MPI_COMM_SELF, &cg);
  HYPRE_PCGSetMaxIter(cg, 3000);
  HYPRE_PCGSetTol(cg, rtol);
  HYPRE_PCGSetTwoNorm(cg, 1);
  HYPRE_Solver amg = make_amg(form, rotations);
  HYPRE_PCGSetPrecond(cg, reinterpret_cast<HYPRE_PtrToSolverFcn>(HYPRE_BoomerAMGSolve),
                      reinterpret_cast<HYPRE_PtrToSolverFcn>(HYPRE_BoomerAMGSetup), amg);
  Kokkos::Timer timer;
  HYPRE_ParCSRPCGSetup(cg, matrix, b.vector, x.vector);
  result.seconds_set_up = timer.seconds();
  timer.reset();
  HYPRE_ParCSRPCGSolve(cg, matrix, b.vector, x.vector);
  result.seconds_solve = timer.seconds();
  HYPRE_Int iterations = 0;
  HYPRE_PCGGetNumIterations(cg, &iterations);
  result.iterations = static_cast<int>(iterations);
  result.x.resize(system.load.size());
  HYPRE_IJVectorGetValues(x.rows, static_cast<HYPRE_Int>(result.x.size()), nullptr, result.x.data());
  HYPRE_BoomerAMGDestroy(amg);
  HYPRE_ParCSRPCGDestroy(cg);
  HYPRE_IJMatrixDestroy(rows);
  return result;
}

}  // namespace

std::vector<AmgPeer> hypre_peers() {
  const auto peer = [](const char* name, Form form) {
    return AmgPeer{"hypre", name, [form](const HostSystem& s, double rtol) { return solve(s, rtol, form); }};
  };
  return {peer("unknowns", Form::unknowns), peer("unknowns, aggressive", Form::aggressive),
          peer("nodes, rotations", Form::nodes)};
}

}  // namespace ashlar::perf

#else

namespace ashlar::perf {
std::vector<AmgPeer> hypre_peers() { return {}; }
}  // namespace ashlar::perf

#endif
