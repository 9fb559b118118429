# What the scripts share to configure and build a preset. Sourced after lib.sh, used inside the environment.

# configure_preset PRESET: Ninja where it is, as the presets say; make where it is not (a native Kokkos' machine).
configure_preset() {
  local generator=()
  command -v ninja >/dev/null 2>&1 || generator=(-G 'Unix Makefiles')
  cmake --preset "$1" ${generator[@]+"${generator[@]}"}
}

# build_preset PRESET [TARGET...]: everything, or these targets.
build_preset() {
  local preset=$1 targets=()
  shift
  [ $# -eq 0 ] || targets=(--target "$@")
  cmake --build --preset "$preset" --parallel "$(nproc)" ${targets[@]+"${targets[@]}"}
}

# build_up_to_date PRESET TARGET...: these targets, configured first where they never were. One run at a time; another
# waits.
build_up_to_date() {
  mkdir -p build
  ( flock 9
    [ -f "build/$1/CMakeCache.txt" ] || configure_preset "$1" 9>&- || exit
    build_preset "$@" 9>&-
  ) 9>"build/.$1.lock"
}

# build_command PRESET: build/PRESET/apps/ashlar, up to date.
build_command() { build_up_to_date "$1" ashlar_command; }
