# Reads what CTest and the build tools print. Each function reads a log on standard input.

uncoloured() { sed "s/$(printf '\033')\[[0-9;]*m//g"; }

# ctest_numbers: "TOTAL FAILED SKIPPED". The total is CTest's "out of": it counts skipped tests, not disabled ones.
ctest_numbers() {
  uncoloured | awk '
    /^[0-9]+% tests passed, [0-9]+ tests? failed out of [0-9]+/ { failed = $4; total = $NF }
    /^The following tests did not run:/                         { idle = 1; next }
    /^The following tests FAILED:/ || /^$/                      { idle = 0 }
    idle && /\(Skipped\)/                                       { skipped++ }
    END { print total + 0, failed + 0, skipped + 0 }'
}

# ctest_summary: from the percentage on, less blank lines.
ctest_summary() {
  uncoloured | awk '
    /^[0-9]+% tests passed,/ || /^No tests were found/ { summary = 1 }
    /^(Errors while running CTest|Output from these tests are in|Use "--rerun-failed)/ { next }
    summary && NF'
}

# what_failed: the part of a configure or build log that says what went wrong, or else its last lines.
what_failed() {
  local log found
  log=$(uncoloured)
  found=$(awk '
    /^\[[0-9]+\/[0-9]+\]|^-- / { show = 0 }
    /^FAILED: |^CMake Error/   { show = 1 }
    show || /error:|\*\*\*|^ninja: / ' <<<"$log" | head -n 60)
  [ -n "$found" ] || found=$(tail -n 20 <<<"$log")
  printf '%s\n' "$found"
}
