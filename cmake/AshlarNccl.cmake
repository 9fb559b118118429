# Messages in the order of streams by NCCL, or by RCCL on HIP: target Ashlar::nccl, the component NCCL of the package.
# The library proper knows nothing of it.
set(ASHLAR_ENABLE_NCCL AUTO CACHE STRING
  "Messages on streams of GPUs by NCCL or RCCL: ON, OFF, or AUTO, where Kokkos has CUDA or HIP and CMake finds it")
set_property(CACHE ASHLAR_ENABLE_NCCL PROPERTY STRINGS AUTO ON OFF)
if(NOT ASHLAR_ENABLE_NCCL)
  return()
endif()

set(missing)
if(Kokkos_DEVICES MATCHES "HIP")
  set(nccl RCCL)
  set(nccl_header rccl/rccl.h)
  set(nccl_library rccl)
  set(nccl_least "2.18, which came with ROCm 6.0")
  # The ROCm of the compiler comes before that of /opt/rocm, which may be another: bin/hipcc, llvm/bin/amdclang++.
  get_filename_component(compiler_folder ${CMAKE_CXX_COMPILER} REALPATH)
  get_filename_component(compiler_folder ${compiler_folder} DIRECTORY)
  set(nccl_hints ENV RCCL_ROOT ENV ROCM_PATH ${compiler_folder}/.. ${compiler_folder}/../.. /opt/rocm)
elseif(Kokkos_DEVICES MATCHES "CUDA")
  set(nccl NCCL)
  set(nccl_header nccl.h)
  set(nccl_library nccl)
  set(nccl_least 2.18)
  find_package(CUDAToolkit QUIET)
  set(nccl_hints ENV NCCL_ROOT ENV NCCL_HOME ${CUDAToolkit_INCLUDE_DIRS} ${CUDAToolkit_LIBRARY_DIR} ENV CUDA_HOME
                 /usr/local/cuda)
else()
  set(missing "Kokkos has no GPU")
endif()
if(NOT missing)
  find_path(ASHLAR_NCCL_INCLUDE_DIR ${nccl_header} HINTS ${nccl_hints} PATH_SUFFIXES include
            DOC "Where ${nccl_header} is")
  find_library(ASHLAR_NCCL_LIBRARY ${nccl_library} HINTS ${nccl_hints} PATH_SUFFIXES lib64 lib DOC "${nccl}")
  mark_as_advanced(ASHLAR_NCCL_INCLUDE_DIR ASHLAR_NCCL_LIBRARY)
  if(NOT ASHLAR_NCCL_INCLUDE_DIR OR NOT ASHLAR_NCCL_LIBRARY)
    set(missing "${nccl_header} and lib${nccl_library} are not both found")
  elseif(NOT EXISTS ${ASHLAR_NCCL_INCLUDE_DIR}/${nccl_header})  # a folder of the caller's
    set(missing "there is no ${nccl_header} in ${ASHLAR_NCCL_INCLUDE_DIR}")
  else()
    # ncclCommSplit came with 2.18; RCCL has the numbers of the NCCL that it follows.
    file(STRINGS ${ASHLAR_NCCL_INCLUDE_DIR}/${nccl_header} lines REGEX "define +NCCL_(MAJOR|MINOR) ")
    string(REGEX REPLACE ".*NCCL_MAJOR +([0-9]+).*NCCL_MINOR +([0-9]+).*" "\\1.\\2" nccl_version "${lines}")
    if(nccl_version VERSION_LESS 2.18)
      set(missing "${nccl} ${nccl_version} in ${ASHLAR_NCCL_INCLUDE_DIR} is older than ${nccl_least}")
    endif()
  endif()
endif()
if(missing)
  if(NOT ASHLAR_ENABLE_NCCL STREQUAL "AUTO")
    message(FATAL_ERROR "ASHLAR_ENABLE_NCCL is ${ASHLAR_ENABLE_NCCL} (${missing}). "
      "Set ASHLAR_NCCL_INCLUDE_DIR and ASHLAR_NCCL_LIBRARY, or ASHLAR_ENABLE_NCCL to OFF.")
  endif()
  message(STATUS "No NCCL: ${missing}")
  return()
endif()
message(STATUS "Messages on streams by ${nccl} ${nccl_version}: ${ASHLAR_NCCL_LIBRARY}")

# What lib/ has found is not seen here. CUDA's toolkit looks for it, HIP's Kokkos does not.
find_package(Threads REQUIRED)
file(GLOB nccl_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lib/src/comm/nccl/*.cpp)
add_library(ashlar_nccl ${nccl_sources})
add_library(Ashlar::nccl ALIAS ashlar_nccl)
target_link_libraries(ashlar_nccl PUBLIC ashlar ${ASHLAR_NCCL_LIBRARY}
                      PRIVATE $<BUILD_INTERFACE:ashlar_options> Threads::Threads)
target_include_directories(ashlar_nccl SYSTEM PUBLIC ${ASHLAR_NCCL_INCLUDE_DIR})
set_target_properties(ashlar_nccl PROPERTIES
  EXPORT_NAME nccl VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  POSITION_INDEPENDENT_CODE ON DEFINE_SYMBOL "")
