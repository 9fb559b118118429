# PETSc, hypre and amgcl for perf_amg, as far as they are found: ashlar_perf_amg_peers.
include(CheckCXXSourceCompiles)
include(CheckLanguage)
find_package(MPI QUIET COMPONENTS CXX)

# ashlar_amg_peer(NAME TARGET HEADER CONDITION): a peer whose header compiles, and has these types.
function(ashlar_amg_peer name target header condition)
  if(NOT TARGET ${target} OR NOT TARGET MPI::MPI_CXX)
    return()
  endif()
  set(CMAKE_REQUIRED_LIBRARIES ${target} MPI::MPI_CXX)
  set(CMAKE_REQUIRED_FLAGS -std=c++20)
  check_cxx_source_compiles("#include <type_traits>
    #include <${header}>
    static_assert(${condition});
    int main() {}" ASHLAR_PERF_CAN_USE_${name})
  if(ASHLAR_PERF_CAN_USE_${name})
    target_link_libraries(ashlar_perf_amg_peers INTERFACE MPI::MPI_CXX)
    ashlar_perf_peer(${name} ${target} ashlar_perf_amg_peers)
    set(peers ${peers} PARENT_SCOPE)
  endif()
endfunction()

find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(ASHLAR_PETSC QUIET PETSc>=3.22)
endif()
if(ASHLAR_PETSC_FOUND)
  # (Not its other flags, with which our own code would be compiled, too.)
  add_library(ashlar_petsc INTERFACE IMPORTED)
  target_include_directories(ashlar_petsc INTERFACE ${ASHLAR_PETSC_INCLUDE_DIRS})
  target_link_libraries(ashlar_petsc INTERFACE ${ASHLAR_PETSC_LINK_LIBRARIES})
endif()
ashlar_amg_peer(PETSC ashlar_petsc petscksp.h "sizeof(PetscInt) == 4 && std::is_same_v<PetscScalar, double>")

check_language(C)  # which hypre's package asks for
if(CMAKE_C_COMPILER)
  find_package(HYPRE QUIET CONFIG)
endif()
ashlar_amg_peer(HYPRE HYPRE::HYPRE HYPRE_parcsr_ls.h
                "sizeof(HYPRE_Int) == 4 && std::is_same_v<HYPRE_Complex, double> && HYPRE_RELEASE_NUMBER >= 22900")

find_path(ASHLAR_AMGCL_INCLUDE_DIR amgcl/amg.hpp DOC "The folder that holds amgcl's headers")
if(ASHLAR_AMGCL_INCLUDE_DIR)
  add_library(ashlar_amgcl INTERFACE)
  target_include_directories(ashlar_amgcl SYSTEM INTERFACE ${ASHLAR_AMGCL_INCLUDE_DIR})
  ashlar_perf_peer(AMGCL ashlar_amgcl ashlar_perf_amg_peers)
endif()
