# A project whose Kokkos is another than the one that Ashlar was built with is told so as it configures. The others are
# that Kokkos in another folder, with one thing changed.
file(REMOVE_RECURSE ${scratch})

# make_kokkos(NAME VERSION CHANGE): a package of Kokkos in scratch/NAME that is of this version and changed so.
function(make_kokkos name version change)
  set(folder ${scratch}/${name})
  file(WRITE ${folder}/KokkosConfig.cmake "include(\"${kokkos}/KokkosConfig.cmake\")\n${change}\n")
  file(WRITE ${folder}/KokkosConfigVersion.cmake
       "set(PACKAGE_VERSION ${version})\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n")
endfunction()

# configure(NAME): sets `result` and `said`, with white space as single blanks.
function(configure name)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/found -B ${scratch}/${name}_build -G ${generator}
                          -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_BUILD_TYPE=Release ${ARGN}
                  RESULT_VARIABLE result OUTPUT_VARIABLE said ERROR_VARIABLE said)
  string(REGEX REPLACE "[ \n]+" " " said "${said}")
  set(result ${result} PARENT_SCOPE)
  set(said "${said}" PARENT_SCOPE)
endfunction()

# expect_refused(NAME TEXT): found before Ashlar, or only named, the Kokkos in scratch/NAME is refused with this text.
function(expect_refused name text)
  foreach(is_found ON OFF)
    configure(${name}_${is_found} -D Kokkos_DIR=${scratch}/${name} -D find_kokkos=${is_found})
    string(FIND "${said}" "${text}" where)
    string(FIND "${said}" "the Kokkos in ${scratch}/${name} (" where_theirs)
    string(FIND "${said}" "the Kokkos in ${kokkos} (" where_ours)
    if(result EQUAL 0 OR where EQUAL -1 OR where_theirs EQUAL -1 OR where_ours EQUAL -1)
      message(SEND_ERROR "${name}: ended with ${result}, without '${text}' and both folders: ${said}")
    endif()
  endforeach()
endfunction()

function(expect_taken name)
  configure(${name} ${ARGN})
  if(NOT result EQUAL 0)
    message(SEND_ERROR "${name}: refused: ${said}")
  endif()
endfunction()

make_kokkos(older 4.99.1 "")
make_kokkos(newer 5.99.1 "")
make_kokkos(devices ${version} "set(Kokkos_DEVICES TEAPOT)")
make_kokkos(more_devices ${version} "list(APPEND Kokkos_DEVICES TEAPOT)")
make_kokkos(options ${version} "list(APPEND Kokkos_OPTIONS SOME_DEBUGGING)")
make_kokkos(same ${version} "")
expect_refused(older "(4.99.1, ")
expect_refused(newer "(5.99.1, ")
expect_refused(devices "(${version}, TEAPOT)")
expect_refused(more_devices " TEAPOT)")
expect_refused(options "these options are set in one only: SOME_DEBUGGING")
expect_taken(elsewhere -D Kokkos_DIR=${scratch}/same -D find_kokkos=ON)
expect_taken(named -D Kokkos_DIR=${kokkos} -D find_kokkos=ON)
expect_taken(found_by_ashlar)
