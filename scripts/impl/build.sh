# What the scripts share to configure and build a preset. Sourced after lib.sh, used inside the environment.

# configure_preset PRESET [ARG...]: Ninja where it is, as the presets say; make where it is not (a native Kokkos'
# machine). More arguments are CMake's.
configure_preset() {
  local generator=()
  command -v ninja >/dev/null 2>&1 || generator=(-G 'Unix Makefiles')
  cmake --preset "$@" ${generator[@]+"${generator[@]}"}
}

# build_preset PRESET [TARGET...]: everything, or these targets.
build_preset() {
  local preset=$1 targets=()
  shift
  [ $# -eq 0 ] || targets=(--target "$@")
  cmake --build --preset "$preset" --parallel "$(nproc)" ${targets[@]+"${targets[@]}"}
}

# build_command PRESET: build/PRESET/apps/ashlar, up to date. One run at a time; another waits.
build_command() {
  mkdir -p build
  ( flock 9
    [ -f "build/$1/CMakeCache.txt" ] || configure_preset "$1" 9>&- || exit
    build_preset "$1" ashlar_command 9>&-
  ) 9>"build/.$1.lock"
}

# The note of the last build of the command: search_key; the kind of environment and the preset; what built_from says.
# Its time of modification is when that build began.
build_note=build/.ashlar_command

# What the search for a Kokkos and the choice of a build depend on, in a line.
search_key() {
  local name
  for name in PATH CMAKE_PREFIX_PATH Kokkos_ROOT Kokkos_DIR CXX ASHLAR_ENV ASHLAR_ENV_MKL ASHLAR_CACHE ASHLAR_PRESET; do
    printf '%q ' "${!name:-}"
  done
}

# Whether no source of the command has changed, come or gone since that build began. A folder changes with what is in it.
# The time of the last status change counts: files that are moved or copied may keep old times of modification.
sources_are_as_noted() {
  local changed
  changed=$(find CMakeLists.txt CMakePresets.json apps cmake lib scripts/impl -cnewer "$build_note" -print -quit 2>&1) &&
    [ -z "$changed" ]
}

# built_from PRESET: the command, the build's settings and its Kokkos, with the times of their last changes.
built_from() {
  local kokkos
  kokkos=$(sed -n 's/^Kokkos_DIR:[A-Z]*=//p' "build/$1/CMakeCache.txt") &&
    stat -c '%n %z %s' "build/$1/apps/ashlar" "build/$1/CMakeCache.txt" "$kokkos/KokkosConfig.cmake"
} 2>/dev/null

# noted_environment KEY: the kind of environment and the preset of the last build, if this would be the same again.
noted_environment() {
  local key environment
  [ -f "$build_note" ] && { IFS= read -r key; read -r environment; } <"$build_note" && [ "$key" = "$1" ] &&
    sources_are_as_noted && printf '%s\n' "$environment"
}

# build_command_if_changed KEY PRESET: build_command, and its note, unless that would change nothing.
build_command_if_changed() {
  local note begin
  [ "$(noted_environment "$1")" != "$ASHLAR_INSIDE $2" ] || [ "$(tail -n +3 "$build_note")" != "$(built_from "$2")" ] ||
    return 0
  mkdir -p build
  note=$build_note.$$
  : >"$note" && begin=$(stat -c %y "$note") && build_command "$2" || return
  printf '%s\n' "$1" "$ASHLAR_INSIDE $2" "$(built_from "$2")" >"$note" && touch -d "$begin" "$note" &&
    mv "$note" "$build_note"
}
