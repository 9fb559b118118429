# Finds Kokkos, and says what to do where it is missing or is not the one that the preset asks for.
find_package(Kokkos 5 CONFIG)
if(NOT Kokkos_FOUND)
  message(FATAL_ERROR
    "Ashlar needs Kokkos 5 (find_package(Kokkos) found none). "
    "Set Kokkos_ROOT, or build inside 'scripts/env', which makes an environment that has it.")
endif()
if(ASHLAR_REQUIRE_BACKEND AND NOT ASHLAR_REQUIRE_BACKEND IN_LIST Kokkos_DEVICES)
  set(found ${Kokkos_DIR})
  unset(Kokkos_DIR CACHE)  # or the next run would not look again
  message(FATAL_ERROR
    "This preset needs Kokkos with ${ASHLAR_REQUIRE_BACKEND} (the one in ${found} has ${Kokkos_DEVICES}). "
    "Set Kokkos_ROOT to another, or take the preset of a backend that it has.")
endif()
