# The package that find_package(Ashlar) finds: target Ashlar::ashlar.
include(AshlarRunPath)
include(CMakePackageConfigHelpers)
# `cmake --install` needs this target and no test. (The target `install` would build all there is.)
add_custom_target(ashlar_installed)
foreach(target ashlar ashlar_mpi ashlar_nccl ashlar_command)
  if(TARGET ${target})
    add_dependencies(ashlar_installed ${target})
  endif()
endforeach()
install(TARGETS ashlar EXPORT AshlarTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY lib/ashlar DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING
        PATTERN "*.hpp" PATTERN "comm/mpi" EXCLUDE PATTERN "comm/nccl" EXCLUDE)
# Headers that CMake makes: the version, the list of kernels.
install(DIRECTORY ${PROJECT_BINARY_DIR}/include/ashlar DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.hpp")
install(EXPORT AshlarTargets NAMESPACE Ashlar:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Ashlar)
if(TARGET ashlar_mpi)  # component MPI: target Ashlar::mpi
  install(TARGETS ashlar_mpi EXPORT AshlarMpiTargets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY lib/ashlar/comm/mpi DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ashlar/comm
          FILES_MATCHING PATTERN "*.hpp")
  install(EXPORT AshlarMpiTargets NAMESPACE Ashlar:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Ashlar)
endif()
if(TARGET ashlar_nccl)  # component NCCL: target Ashlar::nccl
  install(TARGETS ashlar_nccl EXPORT AshlarNcclTargets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY lib/ashlar/comm/nccl DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ashlar/comm
          FILES_MATCHING PATTERN "*.hpp")
  install(EXPORT AshlarNcclTargets NAMESPACE Ashlar:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Ashlar)
endif()
# Components KokkosKernels and Tpetra: headers alone, which are there in any case.
install(FILES cmake/AshlarInterop.cmake cmake/AshlarKokkosKernels.cmake cmake/AshlarSameKokkos.cmake cmake/AshlarTpetra.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Ashlar)
configure_package_config_file(cmake/AshlarConfig.cmake.in ${PROJECT_BINARY_DIR}/AshlarConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Ashlar)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/AshlarConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/AshlarConfig.cmake ${PROJECT_BINARY_DIR}/AshlarConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Ashlar)
# The licence, and the pages that README links to, in the same places.
install(FILES README.md LICENSE CHANGELOG.md CITATION.cff CONTRIBUTING.md SECURITY.md SUPPORT.md
        DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/Ashlar)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/Ashlar)
