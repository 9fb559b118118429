# The few checks that the tests of the scripts are written with. Sourced.
failures=0

fail() { printf 'FAILED %s: %s\n' "$current" "$1"; failures=$((failures + 1)); }

expect_equal() { [ "$1" = "$2" ] || fail "'$1' is not '$2'"; }

# expect_text TEXT FILE
expect_text() { grep -qF -- "$1" "$2" || { fail "'$1' is not in:"; cat "$2"; }; }

# run_tests: every function test_*, in a folder of its own.
run_tests() {
  local scratch=$1
  for current in $(compgen -A function test_); do
    rm -rf "${scratch:?}/$current"
    mkdir -p "$scratch/$current"
    cd "$scratch/$current" || exit 1
    "$current"
  done
  printf '%d failures\n' "$failures"
  [ "$failures" -eq 0 ]
}
