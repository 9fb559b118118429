# Tests that run under mpiexec.
#
#   ashlar_add_mpi_tests(MODULE RANKS...)
#
# makes one program of unit_tests/mpi/MODULE/test_*.cpp, test_mpi_MODULE, and one test for each number of ranks:
# mpi/MODULE/1_ranks and so on. Without MPI there are none; where mpiexec cannot start two processes the programs are
# compiled, and not run.
if(TARGET Ashlar::mpi)
  add_library(ashlar_mpi_test_main OBJECT support/mpi_main.cpp)
  target_link_libraries(ashlar_mpi_test_main PUBLIC ashlar_test_support Ashlar::mpi)

  # More ranks than processors, on any of them: tests run side by side.
  set(flags)
  execute_process(COMMAND ${MPIEXEC_EXECUTABLE} --version OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(said MATCHES "Open ?MPI|OpenRTE|PRRTE")
    set(flags --oversubscribe --bind-to none)
  endif()
  set(ashlar_mpiexec_flags ${flags} CACHE INTERNAL "For tests of other folders, too")
  if(NOT ASHLAR_MPIEXEC_WORKS)
    set(ok)
    execute_process(COMMAND ${MPIEXEC_EXECUTABLE} ${ashlar_mpiexec_flags} ${MPIEXEC_NUMPROC_FLAG} 2
                            ${CMAKE_COMMAND} -E echo started
                    OUTPUT_VARIABLE said ERROR_VARIABLE complaint RESULT_VARIABLE result TIMEOUT 60)
    if(result EQUAL 0 AND said MATCHES "started[ \r\n]+started")
      set(ok ON)
    else()
      message(WARNING "Tests over MPI are left out: ${MPIEXEC_EXECUTABLE} cannot start two processes (${result}). "
        "It said: ${said}${complaint}")
    endif()
    set(ASHLAR_MPIEXEC_WORKS ${ok} CACHE BOOL "Whether mpiexec starts processes; looked for anew while it is off" FORCE)
  endif()
endif()

function(ashlar_add_mpi_tests module)
  file(GLOB sources CONFIGURE_DEPENDS mpi/${module}/test_*.cpp)
  if(NOT sources OR NOT TARGET Ashlar::mpi)
    return()
  endif()
  add_executable(test_mpi_${module} ${sources})
  # Few files, with types of the same names.
  set_target_properties(test_mpi_${module} PROPERTIES UNITY_BUILD OFF)
  target_link_libraries(test_mpi_${module} PRIVATE ashlar_mpi_test_main)
  foreach(ranks IN LISTS ARGN)
    ashlar_add_mpi_test(mpi/${module}/${ranks}_ranks ${ranks} $<TARGET_FILE:test_mpi_${module}>)
  endforeach()
endfunction()

# ashlar_mpi_command(VARIABLE RANKS COMMAND...): the command that starts COMMAND on so many ranks.
function(ashlar_mpi_command variable ranks)
  set(${variable} ${MPIEXEC_EXECUTABLE} ${ashlar_mpiexec_flags} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${MPIEXEC_PREFLAGS}
                  ${ARGN} ${MPIEXEC_POSTFLAGS} PARENT_SCOPE)
endfunction()

# ashlar_add_mpi_test(NAME RANKS COMMAND...): a single test, of any program.
function(ashlar_add_mpi_test name ranks)
  if(NOT ASHLAR_MPIEXEC_WORKS)
    return()
  endif()
  ashlar_mpi_command(command ${ranks} ${ARGN})
  add_test(NAME ${name} COMMAND ${command})
  ashlar_set_mpi_test_properties(${name} ${ranks})
endfunction()

# ashlar_set_mpi_test_properties(NAME RANKS): what tests that start mpiexec themselves need, too.
function(ashlar_set_mpi_test_properties name ranks)
  set(processors 2)
  if(ranks EQUAL 1)
    set(processors 1)
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT 300 PROCESSORS ${processors} SKIP_RETURN_CODE 77
    ENVIRONMENT "OMP_NUM_THREADS=1;OMP_PROC_BIND=false;OMP_WAIT_POLICY=passive;KOKKOS_DISABLE_WARNINGS=1;GTEST_COLOR=no")
endfunction()
