#!/usr/bin/env bash
# scripts/check-hip, with stand-ins for the root file system and what compiles in it.   test_check_hip.sh SCRIPTS SCRATCH
set -u
. "$(dirname "$0")/check.sh"
scripts=$1
unset ASHLAR_INSIDE ASHLAR_PRESET

stand_in() { mkdir -p bin; { echo '#!/usr/bin/env bash'; cat; } >"bin/$1"; chmod +x "bin/$1"; }

# A tree with the scripts, sources of a Kokkos, and a compiler that says what is in `said` when Ashlar is built.
tree() {
  mkdir -p tree 'the kokkos/cmake' cache bin
  cp -r "$scripts" tree/scripts
  echo 'option(Kokkos_ENABLE_HIP)' >'the kokkos/cmake/kokkos_enable_devices.cmake'
  export ASHLAR_CACHE=$PWD/cache PATH=$PWD/bin:$system_path SAID=$PWD/said DONE=$PWD/done
  export RECIPE=$PWD/recipe
  stand_in mmdebstrap <<<'echo "$*" >"$RECIPE"; while [ "$1" != sid ]; do shift; done; mkdir -p "$2/usr"'
  for name in apt-get apt-config; do stand_in "$name" <<<'echo "mirror://there Debian"'; done
  stand_in dpkg <<<'echo amd64'
  stand_in id <<<'echo 0'
  stand_in df <<<'printf "%s\n" "Filesystem" "/dev/x 9 9 9000000"'
  stand_in bwrap <<'STAND_IN'
    [ "${!#}" != true ] || exit 0
    while [ "$1" != cmake ]; do shift; done
    echo "$*" >>"$DONE"
    case "$*" in
      *KOKKOS_FAILS*) exit 1 ;;
      *--install*|*"--target install"*) mkdir -p "$(dirname "$3")/$(basename "$3" -build)" ;;
      *no_such_target*) exit 1 ;;
      *--build*) cat "$SAID"; ! grep -q '^FAILED: ' "$SAID" ;;
    esac
STAND_IN
  : >said
}

check() { tree/scripts/check-hip "$@" >out 2>log; }

test_compiles_for_each_gpu() {
  tree
  check 'the kokkos' || fail "it ended with $?"
  expect_text 'gfx90a: 0 failed, 0 warnings of ours' out
  expect_text 'gfx942: 0 failed, 0 warnings of ours' out
  expect_text "Kokkos_ARCH_AMD_GFX942=ON" "$DONE"
  expect_text "cmake -S $PWD/the kokkos" "$DONE"
  expect_text '--preset hip-mi300' "$DONE"
  # Kokkos once.
  check --arch gfx942 --block-sizes 1,3 --target ashlar 'the kokkos' || fail "it ended with $?"
  expect_equal "$(grep -c 'Kokkos_ARCH_AMD_GFX942=ON' "$DONE")" 1
  expect_text 'ASHLAR_BLOCK_SIZES=1,3' "$DONE"
  expect_text '--target ashlar' "$DONE"
}

test_compiles_with_rccl() {
  tree
  check --arch gfx942 'the kokkos' || fail "it ended with $?"
  expect_text 'ASHLAR_ENABLE_MPI=ON' "$DONE"
  expect_text 'ASHLAR_ENABLE_NCCL=ON' "$DONE"
  expect_text '--include=hipcc,libamdhip64-dev,librccl-dev,g++,' "$RECIPE"
  # Of one release with the compiler.
  grep -q 'Package: libtrilinos-\* hipcc .*librccl\* .*trilinos-dev.nPin: release n=rc-buggy' "$RECIPE" ||
    fail "RCCL is not of experimental: $(cat "$RECIPE")"
}

test_warnings_of_ours_are_told_once() {
  tree
  cat >said <<SAID
$PWD/tree/lib/ashlar/base/text.hpp:7:3: warning: unused variable [-Wunused-variable]
../../../lib/ashlar/base/text.hpp:7:3: warning: unused variable [-Wunused-variable]
/usr/include/gtest/gtest.h:1:1: warning: not ours
/usr/lib/there/lib/here.h:1:1: warning: not ours
SAID
  check --arch gfx90a 'the kokkos' && fail 'it succeeded'
  expect_text 'gfx90a: 0 failed, 1 warnings of ours' out
  expect_text $'\nlib/ashlar/base/text.hpp:7:3: warning: unused' <(echo; cat out)
  grep -q 'not ours' out && fail 'a warning of others is told'
}

test_what_does_not_compile_is_named() {
  tree
  echo 'FAILED: lib/CMakeFiles/ashlar.dir/src/io/read.cpp.o' >said
  check --arch gfx90a 'the kokkos' && fail 'it succeeded'
  expect_text 'gfx90a: 1 failed, 0 warnings of ours' out
  expect_text 'src/io/read.cpp.o' out
}

test_says_so_where_the_build_ends_and_nothing_failed() {
  tree
  check --arch gfx90a --target no_such_target 'the kokkos' && fail 'it succeeded'
  expect_text 'gfx90a: ended before its time, see build/hip/gfx90a.build.log' out
}

test_refuses() {
  tree
  check && fail 'it succeeded'
  expect_text 'no sources of Kokkos are named' log
  check bin && fail 'it succeeded'
  expect_text 'holds no sources of Kokkos' log
  check --arch sm_90 'the kokkos' && fail 'it succeeded'
  expect_text 'is no GPU' log
  check --fast 'the kokkos' && fail 'it succeeded'
  expect_text "unknown argument '--fast'" log
  [ ! -e "$DONE" ] || fail 'it began all the same'
}

system_path=$PATH
run_tests "$2"
