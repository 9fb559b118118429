# What is made of the list of kernels, the enumerators of ashlar/spmv/kernel.hpp: their names and dispatch, and for what
# the library holds compiled an explicit instantiation each, in files that compile side by side. What a kernel serves
# its own file says, impl/kernels/<its name>.hpp: has_single, has_multi, for_cpus. Adds to `sources`.
set(spmv ${CMAKE_CURRENT_SOURCE_DIR}/ashlar/spmv)
set(made ${PROJECT_BINARY_DIR}/include/ashlar/spmv/impl/launch)

file(STRINGS ${spmv}/kernel.hpp kernels REGEX "^  [a-z_]+,  ")
list(TRANSFORM kernels REPLACE "^  ([a-z_]+),.*" "\\1")
list(REMOVE_ITEM kernels automatic)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${spmv}/kernel.hpp)

list(TRANSFORM kernels REPLACE "(.+)" "    {Kernel::\\1, \"\\1\"},\n" OUTPUT_VARIABLE kernel_names)
list(JOIN kernel_names "" kernel_names)
list(TRANSFORM kernels PREPEND "Kernel::" OUTPUT_VARIABLE kernel_list)
list(JOIN kernel_list ", " kernel_list)
list(TRANSFORM kernels REPLACE "(.+)" "#include <ashlar/spmv/impl/kernels/\\1.hpp>" OUTPUT_VARIABLE kernel_includes)
list(JOIN kernel_includes "\n" kernel_includes)
configure_file(${spmv}/impl/launch/kernel_list.hpp.in ${made}/kernel_list.hpp @ONLY)
configure_file(${spmv}/impl/launch/all_kernels.hpp.in ${made}/all_kernels.hpp @ONLY)

set(for_gpus FALSE)
if(Kokkos_DEVICES MATCHES "CUDA|HIP")
  set(for_gpus TRUE)
endif()

# What is compiled of each kernel: types of values and of vectors, layouts of blocks, and types of row offsets. Blocks
# of doubles by rows have those of Tpetra, too.
set(instances_all)
foreach(types float,float double,double Kokkos::complex<float>,Kokkos::complex<float>
              Kokkos::complex<double>,Kokkos::complex<double> float,double bfloat16,double)
  list(APPEND instances_all ${types},BlockColumnMajor,std::int32_t ${types},BlockRowMajor,std::int32_t)
  if(types STREQUAL "double,double")
    list(APPEND instances_all ${types},BlockRowMajor,std::size_t)
  endif()
endforeach()

# What a file holds is instances_<its name>. Files for each pair of types; for GPUs, whose compilers take minutes, for
# each layout, too.
set(separate)
foreach(instance ${instances_all})
  set(name ${instance})
  if(NOT for_gpus)
    string(REGEX REPLACE ",[^,]+,[^,]+$" "" name ${instance})
  endif()
  string(MAKE_C_IDENTIFIER ${name} name)
  list(APPEND instances_${name} ${instance})
  list(APPEND separate ${name})
endforeach()
list(REMOVE_DUPLICATES separate)

# With CMAKE_UNITY_BUILD, types that share templates: most of a light kernel's file is Kokkos, to be parsed.
set(together float double complex)
foreach(name ${together})
  set(instances_${name} ${instances_all})
endforeach()
list(FILTER instances_float INCLUDE REGEX "^float,")
list(FILTER instances_complex INCLUDE REGEX "complex")
list(FILTER instances_double EXCLUDE REGEX "^float,|complex")  # and bfloat16

# instantiations(RESULT PREFIX STRUCT KERNEL EXEC INSTANCE...): a line for each.
function(instantiations result prefix struct kernel exec)
  set(lines)
  foreach(instance ${ARGN})
    string(REGEX REPLACE ",([^,]+)$" ",std::int32_t,\\1" arguments ${instance})
    string(REPLACE "," ", " arguments ${arguments})
    string(APPEND lines "${prefix}template struct ${struct}<Kernel::${kernel}, Kokkos::${exec}, ${arguments}>;\n")
  endforeach()
  set(${result} "${lines}" PARENT_SCOPE)
endfunction()

set(exec_of_host DefaultHostExecutionSpace)
set(exec_of_device DefaultExecutionSpace)
set(all_of_host)
set(all_of_device)
foreach(kernel ${kernels})
  set(file_of_kernel ${spmv}/impl/kernels/${kernel}.hpp)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file_of_kernel})
  file(STRINGS ${file_of_kernel} has_single REGEX "has_single = true")
  file(STRINGS ${file_of_kernel} has_multi REGEX "has_multi = true")
  file(STRINGS ${file_of_kernel} for_cpus REGEX "for_cpus = true")
  set(structs)
  if(has_single)
    list(APPEND structs SpmvKernel)
  endif()
  if(has_multi)
    list(APPEND structs SpmvMultiKernel)
  endif()
  if(NOT structs)
    message(FATAL_ERROR "${file_of_kernel} says neither 'has_single = true' nor 'has_multi = true': "
      "a kernel multiplies one vector or several. See docs/how_to/add_a_kernel.md")
  endif()
  foreach(struct ${structs})
    foreach(space host device)
      instantiations(declared "extern " ${struct} ${kernel} ${exec_of_${space}} ${instances_all})
      string(APPEND all_of_${space} "${declared}")
    endforeach()
    set(names ${separate})
    if(CMAKE_UNITY_BUILD AND NOT for_gpus)
      # The kernel for CPUs has the most to compile: with all block sizes a minute for a pair of types.
      if(ASHLAR_BLOCK_SIZES AND NOT for_cpus)
        set(names all)
      elseif(ASHLAR_BLOCK_SIZES OR NOT for_cpus)
        set(names ${together})
      endif()
    endif()
    foreach(name ${names})
      foreach(space host device)
        instantiations(instances_of_${space} "" ${struct} ${kernel} ${exec_of_${space}} ${instances_${name}})
      endforeach()
      set(file ${CMAKE_CURRENT_BINARY_DIR}/spmv/${struct}_${kernel}_${name}.cpp)
      configure_file(src/spmv/instantiate.cpp.in ${file} @ONLY)
      list(APPEND sources ${file})
      # Kernels made for GPUs run on CPUs only where they are asked for by name (in tests): there half the time to
      # compile counts for more.
      if(NOT for_gpus AND NOT for_cpus AND CMAKE_BUILD_TYPE STREQUAL "Release")
        set_source_files_properties(${file} PROPERTIES
          COMPILE_OPTIONS $<$<CXX_COMPILER_ID:GNU,Clang,AppleClang>:-O1>)
      endif()
    endforeach()
  endforeach()
endforeach()
set(instances_of_host "${all_of_host}")
set(instances_of_device "${all_of_device}")
configure_file(${spmv}/impl/launch/instantiations.hpp.in ${made}/instantiations.hpp @ONLY)
