# What CMAKE_UNITY_BUILD, CMake's own switch, makes of a target here: files that share templates or headers are compiled
# as one, which takes half as long. It is off by default, as one changed file compiles its whole group anew, and compilers
# for GPUs, which take minutes a file, do better side by side.

# ashlar_compile_by_folder(TARGET SOURCE...): one unit of the files of each folder of lib/src or of a program. Files with
# options of their own, and all that are in no group, compile alone.
function(ashlar_compile_by_folder target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  if(CMAKE_UNITY_BUILD)  # GCC takes what is included for a header, whose types must not be of one file alone
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
  foreach(source ${ARGN})
    get_filename_component(folder ${source} DIRECTORY)
    get_filename_component(folder ${folder} NAME)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder})
  endforeach()
endfunction()
