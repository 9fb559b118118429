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
