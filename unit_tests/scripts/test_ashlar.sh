#!/usr/bin/env bash
# When scripts/ashlar runs the build system, with a stand-in for cmake in a small source tree.   test_ashlar.sh SCRIPTS SCRATCH
set -u
. "$(dirname "$0")/check.sh"
scripts=$1
unset ASHLAR_INSIDE ASHLAR_PRESET ASHLAR_ENV ASHLAR_SEARCH_KEY Kokkos_ROOT Kokkos_DIR CMAKE_PREFIX_PATH

# A machine with a Kokkos, and a source tree. cmake notes in `ran` what it is asked for: to probe for the Kokkos, to
# configure, to build a command that says its version.
machine() {
  export tree=$PWD/tree PATH=$PWD/bin:$system_path
  mkdir -p bin kokkos tree/{apps,cmake,lib/src/old,unit_tests}
  touch kokkos/KokkosConfig.cmake tree/{CMakeLists.txt,CMakePresets.json,apps/main.cpp,cmake/x.cmake,lib/src/{a,old/b}.cpp}
  cp -R "$scripts" tree/scripts
  cat >bin/cmake <<'CMAKE'
#!/usr/bin/env bash
case $1 in
  -S) echo probe >>"$tree/../ran"; mkdir -p "$4"; echo OPENMP >"$4/devices" ;;
  --preset) echo configure >>"$tree/../ran"; mkdir -p "build/$2/apps"
    echo "Kokkos_DIR:PATH=$tree/../kokkos" >"build/$2/CMakeCache.txt" ;;
  --build) echo build >>"$tree/../ran"
    [ ! -e "$tree/apps/broken.cpp" ] || { echo "broken.cpp does not compile"; exit 1; }
    [ ! -e "$tree/../edit" ] || { rm "$tree/../edit"; echo edited >"$tree/apps/main.cpp"; }
    printf '#!/bin/sh\necho "%s:" "$@"\nexit 2\n' "$3" >"build/$3/apps/new"
    chmod +x "build/$3/apps/new"
    cmp -s "build/$3/apps/new" "build/$3/apps/ashlar" || mv "build/$3/apps/new" "build/$3/apps/ashlar" ;;
esac
CMAKE
  chmod +x bin/cmake
}

# expect_runs WORDS: the command answers, with its exit code, after cmake was asked for these.
expect_runs() {
  local out
  rm -f ran
  out=$("$tree/scripts/ashlar" 'an argument' 2>log)
  expect_equal "$? $out" "2 ${preset:-openmp}: an argument"
  expect_equal "$(cat ran 2>/dev/null | tr '\n' ' ')" "${1:+$1 }"
}

test_nothing_has_changed() {
  machine
  expect_runs 'probe configure build'
  expect_runs ''
  touch "$tree/unit_tests/test_x.cpp" "$tree/README.md"  # not of the command
  expect_runs ''
  expect_equal "$(cd / && "$tree/scripts/ashlar" x)" 'openmp: x'
  expect_equal "$(ls -A "$tree/build" | tr '\n' ' ')" '.ashlar_command .openmp.lock openmp '
}

# expect_builds WHAT COMMAND...: after COMMAND one run builds, and the next does not.
expect_builds() {
  local what=$1 before=$failures
  shift
  (cd "$tree" && "$@")
  expect_runs 'probe build'
  expect_runs ''
  [ "$failures" = "$before" ] || fail "$what"
}

test_sources() {
  machine
  touch -d '2001-01-01' older.cpp
  expect_runs 'probe configure build'
  expect_builds 'changed' bash -c 'echo >>lib/src/old/b.cpp'
  expect_builds 'with an old time of modification' touch -d '2001-01-01' lib/src/a.cpp
  expect_builds 'added' touch lib/src/c.cpp
  expect_builds 'an old file moved in' mv "$PWD/older.cpp" apps/
  expect_builds 'an old file copied in' cp -p apps/older.cpp lib/src/older.cpp
  expect_builds 'deleted' rm lib/src/c.cpp
  expect_builds 'renamed' mv lib/src/a.cpp lib/src/z.cpp
  expect_builds 'a folder removed' rm -r lib/src/old
  expect_builds 'settings for all' bash -c 'echo >>CMakeLists.txt'
  expect_builds 'presets' bash -c 'echo >>CMakePresets.json'
  expect_builds 'the environment' bash -c 'echo >>scripts/impl/make_rootfs'
}

test_git() {
  machine
  local git=(git -c user.name=x -c user.email=x -c init.defaultBranch=main -c advice.detachedHead=false)
  (cd "$tree" && "${git[@]}" init -q && "${git[@]}" add . && "${git[@]}" commit -qm one &&
     echo two >apps/main.cpp && touch lib/new.cpp && "${git[@]}" add . && "${git[@]}" commit -qm two)
  expect_runs 'probe configure build'
  expect_builds 'another commit' "${git[@]}" checkout -q HEAD~1
  (cd "$tree" && "${git[@]}" status) >log
  expect_runs ''
  expect_builds 'the first one again' "${git[@]}" checkout -q main
}

test_the_build_folder() {
  machine
  expect_runs 'probe configure build'
  rm "$tree/build/openmp/apps/ashlar"
  expect_runs 'build'
  expect_runs ''
  echo 'another' >>"$tree/build/openmp/CMakeCache.txt"
  expect_runs 'build'
  expect_runs ''
  rm -r "$tree/build/openmp"
  expect_runs 'configure build'
  rm -r "$tree/build"
  expect_runs 'probe configure build'
  touch kokkos/KokkosConfig.cmake  # installed once more
  expect_runs 'build'
  expect_runs ''
}

test_another_environment() {
  machine
  expect_runs 'probe configure build'
  export Kokkos_ROOT=$PWD/kokkos
  expect_runs 'probe build'
  expect_runs ''
  export ASHLAR_PRESET=serial preset=serial
  expect_runs 'probe configure build'
  expect_runs ''
  unset ASHLAR_PRESET Kokkos_ROOT preset
  expect_runs 'probe build'
  expect_runs ''
}

test_a_build_that_fails_is_run_again() {
  machine
  expect_runs 'probe configure build'
  touch "$tree/apps/broken.cpp"
  for again in 1 2; do
    "$tree/scripts/ashlar" >out 2>log
    expect_equal "$?$(cat out)" 1
    expect_text 'broken.cpp does not compile' log
  done
  expect_equal "$(ls -A "$tree/build" | tr '\n' ' ')" '.ashlar_command .openmp.lock openmp '
  rm "$tree/apps/broken.cpp"
  expect_runs 'probe build'
  expect_runs ''
}

test_an_edit_amid_a_build_is_built_next() {
  machine
  touch edit
  expect_runs 'probe configure build'
  expect_runs 'probe build'
  expect_runs ''
}

system_path=$PATH
run_tests "$2"
