# The header of xxHash, which has no CMake package everywhere. Nothing of it is linked, and users of the library need none.
find_path(ASHLAR_XXHASH_INCLUDE_DIR xxhash.h DOC "Where xxhash.h is")
mark_as_advanced(ASHLAR_XXHASH_INCLUDE_DIR)
if(NOT ASHLAR_XXHASH_INCLUDE_DIR)
  message(FATAL_ERROR
    "Ashlar needs the header xxhash.h of xxHash 0.8 (CMake found none). "
    "Install it (libxxhash-dev on Debian, xxhash in Spack), or set ASHLAR_XXHASH_INCLUDE_DIR to the folder that holds it.")
endif()
