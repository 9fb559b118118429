# Ranks over MPI: target Ashlar::mpi, the component MPI of the package. The library proper knows nothing of it.
set(ASHLAR_ENABLE_MPI AUTO CACHE STRING "Ranks over MPI: ON, OFF, or AUTO, where CMake finds one")
set_property(CACHE ASHLAR_ENABLE_MPI PROPERTY STRINGS AUTO ON OFF)
if(NOT ASHLAR_ENABLE_MPI)
  return()
endif()
find_package(MPI COMPONENTS CXX)
if(NOT MPI_CXX_FOUND)
  if(NOT ASHLAR_ENABLE_MPI STREQUAL "AUTO")
    message(FATAL_ERROR "ASHLAR_ENABLE_MPI is ${ASHLAR_ENABLE_MPI} (find_package(MPI) found no MPI for C++). "
      "Set MPI_CXX_COMPILER to its compiler wrapper, or ASHLAR_ENABLE_MPI to OFF.")
  endif()
  message(STATUS "No MPI: one rank only")
  return()
endif()

file(GLOB mpi_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lib/src/comm/mpi/*.cpp)
add_library(ashlar_mpi ${mpi_sources})
add_library(Ashlar::mpi ALIAS ashlar_mpi)
ashlar_compile_by_folder(ashlar_mpi ${mpi_sources})
target_link_libraries(ashlar_mpi PUBLIC ashlar MPI::MPI_CXX PRIVATE $<BUILD_INTERFACE:ashlar_options>)
# The C++ bindings of old, which would be one more library.
target_compile_definitions(ashlar_mpi PUBLIC OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
set_target_properties(ashlar_mpi PROPERTIES
  EXPORT_NAME mpi VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  POSITION_INDEPENDENT_CODE ON DEFINE_SYMBOL "")
