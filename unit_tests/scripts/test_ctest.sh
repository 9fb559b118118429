#!/usr/bin/env bash
# What scripts/test reads from the logs of CTest and of the build.   test_ctest.sh SCRIPTS SCRATCH
set -u
. "$(dirname "$0")/check.sh"
. "$1/impl/ctest.sh"

test_all_passed() {
  printf '%s\n' '1/2 Test #1: a/b ...  Passed  0.01 sec' '' '100% tests passed, 0 tests failed out of 123' '' \
    'Total Test time (real) =   7.98 sec' >log
  expect_equal "$(ctest_numbers <log)" '123 0 0'
  expect_equal "$(ctest_summary <log)" $'100% tests passed, 0 tests failed out of 123\nTotal Test time (real) =   7.98 sec'
}

test_failed_skipped_disabled() {
  # As CTest 4 has it: "out of" counts the skipped one and not the disabled one.
  printf '%s\n' '3/6 Test #3: skip ...***Skipped   0.00 sec' '' '60% tests passed, 2 tests failed out of 5' '' \
    'Total Test time (real) =   0.01 sec' '' 'The following tests did not run:' $'\t  3 - skip (Skipped)' \
    $'\t  4 - off (Disabled)' '' 'The following tests FAILED:' $'\t  2 - bad (Failed)' $'\t  5 - (Skipped) (Not Run)' \
    'Errors while running CTest' >log
  expect_equal "$(ctest_numbers <log)" '5 2 1'
}

test_one_failed_in_colour() {
  printf '\033[33m0%% tests passed\033[0;0m, \033[31m1 test failed\033[0;0m out of 1\n' >log
  expect_equal "$(ctest_numbers <log)" '1 1 0'
}

test_no_tests() {
  echo 'No tests were found!!!' >log
  expect_equal "$(ctest_numbers <log)" '0 0 0'
  expect_equal "$(ctest_summary <log)" 'No tests were found!!!'
}

test_text_of_a_test_is_no_summary() {
  printf '%s\n' 'it said: 100% tests passed, 0 tests failed out of 9' '50% tests passed, 1 tests failed out of 2' >log
  expect_equal "$(ctest_numbers <log)" '2 1 0'
}

test_what_failed_in_a_ninja_build() {
  printf '%s\n' '[1/3] Building CXX object a.o' '[2/3] Building CXX object b.o' 'FAILED: b.o' 'c++ -c b.cpp' \
    'b.cpp:3:1: error: no' '[3/3] Building CXX object c.o' 'c.cpp: warning: hm' 'ninja: build stopped: subcommand failed.' >log
  expect_equal "$(what_failed <log)" $'FAILED: b.o\nc++ -c b.cpp\nb.cpp:3:1: error: no\nninja: build stopped: subcommand failed.'
}

test_what_failed_in_a_configuration() {
  printf '%s\n' '-- Found this' 'CMake Error at a.cmake:9 (message):' '  No Kokkos' '' '-- Configuring incomplete' >log
  expect_equal "$(what_failed <log)" $'CMake Error at a.cmake:9 (message):\n  No Kokkos'
}

test_what_failed_without_a_known_sign() {
  printf '%s\n' '[1/3] Building' 'Killed' >log
  expect_equal "$(what_failed <log)" $'[1/3] Building\nKilled'
}

run_tests "$2"
