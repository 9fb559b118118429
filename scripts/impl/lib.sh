# What the scripts share: finding a native Kokkos, making the root file system, entering it. Sourced, not run.
# Standard output carries results alone; everything for people goes to standard error.

say() { printf 'ashlar: %s\n' "$*" >&2; }

# die PROBLEM WHY SUGGESTION
die() { printf 'ashlar: %s (%s); %s\n' "$1" "$2" "$3" >&2; exit 1; }

# usage SCRIPT: the comment at its head.
usage() { sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p;}' "$1"; }

own_kokkos="install Kokkos 5 (for instance 'spack install kokkos+openmp') and set Kokkos_ROOT to it"

# Where the environments and the compiler cache live: absolute, since it is bound by its path. There is no default
# without a home: a folder in /tmp could be another user's.
cache_dir() {
  local cache=${ASHLAR_CACHE:-${XDG_CACHE_HOME:+$XDG_CACHE_HOME/ashlar}}
  cache=${cache:-${HOME:+$HOME/.cache/ashlar}}
  [ -n "$cache" ] ||
    die "there is no folder for the environment" "neither HOME nor ASHLAR_CACHE is set" \
        "set ASHLAR_CACHE to a folder that only you can write to"
  realpath -m -- "$cache"
}

# need_own_folder FOLDER [USER_ID...]: ends the script unless FOLDER and all folders above it belong to the caller or to
# root (or whoever owns /), and no other user can write to them. FOLDER itself may belong to one of these users, too.
#
# What lies in FOLDER is run, maybe by root, so that whoever can write to it, or can put another folder in its place,
# runs what he likes. In a sticky folder such as /tmp nobody can replace another user's folder.
need_own_folder() {
  local folder=$1 folders=() mode id user group path write trusted=" $EUID 0 $(stat -c %u /) " too=" ${*:2} "
  local suggestion="set ASHLAR_CACHE to a folder that only you can write to"
  while [ "$folder" != / ]; do folders+=("$folder"); folder=${folder%/*} folder=${folder:-/}; done
  while IFS=: read -r mode id user group path; do
    [[ $trusted == *" $id "* || ( $path == "$1" && $too == *" $id "* ) ]] ||
      die "the environment in $1 cannot be trusted" "$path belongs to the user $user" "$suggestion"
    write=$((8#$mode & 8#22))
    # A group of the owner's own name has no other members, as most systems set users up.
    [ "$user" != "$group" ] || [ "$user" = UNKNOWN ] || write=$((8#$mode & 8#2))
    [ "$write" = 0 ] || { [ "$path" != "$1" ] && [ $((8#$mode & 8#1000)) != 0 ]; } ||
      die "the environment in $1 cannot be trusted" "users other than $user can write to $path" \
          "run 'chmod go-w $path', or $suggestion"
  done < <(stat -c '%a:%u:%U:%G:%n' -- "${folders[@]}" /)
}

# The caller's subordinate user id that is root in environments made without root, if he has one.
subordinate_root() {
  awk -F: -v name="$(id -un)" -v id="$EUID" '$1 == name || $1 == id { print $2; exit }' /etc/subuid 2>/dev/null || true
}

# Prints the preset that fits the Kokkos that CMake finds on this machine; fails where there is none.
native_preset() {
  command -v cmake >/dev/null 2>&1 || return 1
  local probe devices generator=()
  command -v make >/dev/null 2>&1 || generator=(-G Ninja)
  probe=$(mktemp -d) || return 1
  cat >"$probe/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.22)
project(probe LANGUAGES CXX)
find_package(Kokkos 5 QUIET CONFIG)
if(NOT Kokkos_FOUND)
  message(FATAL_ERROR "none")
endif()
file(WRITE "${CMAKE_BINARY_DIR}/devices" "${Kokkos_DEVICES}")
CMAKE
  if ! cmake -S "$probe" -B "$probe/build" ${generator[@]+"${generator[@]}"} >/dev/null 2>&1; then rm -rf "$probe"; return 1; fi
  devices=$(cat "$probe/build/devices"); rm -rf "$probe"
  case ";$devices;" in
    *';CUDA;'*)   echo cuda-hopper ;;
    *';HIP;'*)    echo hip-mi300 ;;
    *';OPENMP;'*) echo openmp ;;
    *)            echo serial ;;
  esac
}

remove_rootfs() {  # a tree made without root belongs to subordinate user ids
  rm -rf "$1" 2>/dev/null || mmdebstrap --unshare-helper rm -rf "$1" 2>/dev/null || rm -rf "$1"
}

need_packages() {
  local missing=()
  command -v mmdebstrap >/dev/null 2>&1 || missing+=(mmdebstrap)
  command -v bwrap >/dev/null 2>&1 || missing+=(bubblewrap)
  [ "$(id -u)" = 0 ] || command -v newuidmap >/dev/null 2>&1 || missing+=(uidmap)
  command -v flock >/dev/null 2>&1 || missing+=(util-linux)
  [ ${#missing[@]} -gt 0 ] || return 0
  command -v apt-get >/dev/null 2>&1 && [ -r /usr/share/keyrings/debian-archive-keyring.gpg ] ||
    die "no Kokkos 5 was found" "and it can be set up on Debian only, which this machine does not have" "$own_kokkos"
  [ "$(id -u)" = 0 ] ||
    die "the packages ${missing[*]} are not installed" "installing them needs root" \
        "run 'sudo apt-get install ${missing[*]}', or $own_kokkos"
  say "installing ${missing[*]}"
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${missing[@]}"; } >&2 </dev/null ||
    die "apt-get could not install ${missing[*]}" "its message is above" "fix that and run this again, or $own_kokkos"
}

# Without root, the files of the environment belong to subordinate ids, which root once hands out.
need_subordinate_ids() {
  local user owner
  user=$(id -un) owner="^($(id -un)|$(id -u)):"
  [ "$(id -u)" = 0 ] || { grep -qE "$owner" /etc/subuid && grep -qE "$owner" /etc/subgid; } 2>/dev/null ||
    die "$user has no subordinate user ids" "without root, making the environment needs them" \
        "run 'sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 $user', or $own_kokkos"
}

# Checked before the environment is made, not after: kernels and containers may refuse namespaces.
need_namespace() {
  local said
  said=$(bwrap --ro-bind / / true 2>&1) ||
    die "bubblewrap cannot make a namespace on this machine" "$said" \
        "allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1), run as root, or $own_kokkos"
}

# ensure_rootfs RECIPE: prints the path of the complete root file system, making it first if it is not there.
#
# It is made under a temporary name and renamed when complete, under a lock: an interrupted run leaves nothing that
# is taken for whole, and of two runs at once one waits for the other.
ensure_rootfs() {
  local recipe=$1 cache name target making free_kb
  cache=$(cache_dir) || exit
  name=rootfs-$(sha256sum "$recipe" | cut -c1-12)${ASHLAR_ENV_MKL:+-mkl}
  target=$cache/$name
  need_packages
  need_namespace
  # Others may read it: without root, the recipe works as a subordinate user.
  (umask 022; mkdir -p "$cache") ||
    die "cannot write to $cache" "the environment lives there" "set ASHLAR_CACHE to another directory"
  need_own_folder "$cache"
  if [ -d "$target" ]; then
    need_own_folder "$target" "$(subordinate_root)"
    printf '%s\n' "$target"
    return
  fi
  need_subordinate_ids
  exec 9>"$cache/$name.lock"
  flock -n 9 || { say "another run is making the environment; waiting for it"; flock 9; }
  if [ ! -d "$target" ]; then
    free_kb=$(df -Pk "$cache" | awk 'NR == 2 { print $4 }')
    [ "$free_kb" -ge 4000000 ] ||
      die "$((free_kb / 1000000)) GB are free in $cache" "making the environment needs 4 GB" \
          "free some, or set ASHLAR_CACHE to another directory"
    for making in "$cache/$name".making.*; do [ ! -e "$making" ] || remove_rootfs "$making"; done
    making=$cache/$name.making.$$
    say "making the environment in $target (once; 1 to 3 minutes)"
    trap 'remove_rootfs "$making"; say "interrupted; what was made so far is removed"; exit 130' INT TERM HUP
    # Standard error of the recipe is its progress; its lock is dropped, lest a daemon inherit it.
    "$recipe" "$making" >&2 </dev/null 9>&- ||
      { remove_rootfs "$making"
        die "the environment could not be made" "the messages above say why" \
            "fix that and run this again, or $own_kokkos"; }
    mv "$making" "$target"
    trap - INT TERM HUP
  fi
  exec 9>&-
  printf '%s\n' "$target"
}

# is_system_path PATH: whether this is a file of the environment rather than of the machine. PATH is absolute.
is_system_path() { case $1/ in /usr/*|/etc/*|/bin/*|/lib/*|/lib32/*|/lib64/*|/libx32/*|/sbin/*) ;; *) false ;; esac; }

# refuse_system_files ARGS...: in the root file system, ends the script if an argument names a file in a system
# directory that is not there: it was meant to be read on the machine, or cannot be written.
refuse_system_files() {
  local argument path
  [ "${ASHLAR_INSIDE:-}" = rootfs ] || return 0
  for argument; do
    case $argument in -*=*) argument=${argument#*=} ;; esac
    case $argument in */*) ;; *) continue ;; esac
    path=$(realpath -m -- "$argument")
    ! is_system_path "$path" || [ -e "$path" ] ||
      die "$path cannot be read or written in the environment" \
          "its /usr and /etc are not those of the machine, and are read-only" \
          "use a file in another directory, such as your home"
  done
}

# enter_rootfs ROOTFS SOURCE_DIR COMMAND...
#
# The tree is the machine's own: what is read there is what is there outside, and what is written stays. Only the
# system directories are the root file system's, and what its packages note in /var. They are read-only.
enter_rootfs() {
  local rootfs=$1 source_dir=$2 dir args
  shift 2
  for dir in "$(pwd -P)" "$source_dir" "$(cache_dir)"; do
    ! is_system_path "$dir" || { [ -d "$rootfs$dir" ] && [ "$dir" = "$(pwd -P)" ]; } ||
      die "$dir is not there in the environment" "its /usr and /etc are not those of the machine" \
          "change to another directory, such as your home"
  done
  args=(--die-with-parent --dev-bind / /)
  for dir in usr etc bin lib lib32 lib64 libx32 sbin var/lib/dpkg var/lib/apt var/cache/fontconfig; do
    # A link (/bin) leads into /usr. What the machine lacks is not bound, as a folder would be made there for it.
    [ -L "/$dir" ] || [ ! -d "/$dir" ] || [ ! -d "$rootfs/$dir" ] || args+=(--ro-bind "$rootfs/$dir" "/$dir")
  done
  for dir in passwd group hosts; do args+=(--ro-bind-try "/etc/$dir" "/etc/$dir"); done
  mkdir -p "$(cache_dir)/ccache"
  args+=(--chdir "$(pwd -P)")
  # Paths below the source tree count as relative: a checkout elsewhere finds the same objects in the compiler cache.
  args+=(--setenv CCACHE_BASEDIR "$source_dir")
  # What the host set for its own compilers and libraries would mislead those in here.
  local forget=() name
  for name in LD_LIBRARY_PATH LD_PRELOAD CC CXX CFLAGS CXXFLAGS LDFLAGS CPATH LIBRARY_PATH PYTHONPATH PYTHONHOME \
              CMAKE_PREFIX_PATH CMAKE_TOOLCHAIN_FILE Kokkos_ROOT Kokkos_DIR; do
    forget+=(--unsetenv "$name")
  done
  # UCX, which Debian's MPI is linked with, replaces the functions that map memory as it is loaded, for the sake of
  # network cards; it takes 0.4 s of a processor in each program that starts.
  exec bwrap "${args[@]}" \
    --setenv UCX_MEM_MMAP_HOOK_MODE none \
    --setenv PATH /usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin \
    --setenv ASHLAR_INSIDE rootfs \
    --setenv ASHLAR_OPENMP_KOKKOS /usr/local/kokkos-openmp --setenv ASHLAR_SERIAL_KOKKOS /usr \
    --setenv CCACHE_DIR "$(cache_dir)/ccache" --setenv CMAKE_CXX_COMPILER_LAUNCHER ccache \
    --setenv CMAKE_GENERATOR Ninja \
    --setenv CCACHE_NOHASHDIR 1 --setenv CCACHE_SLOPPINESS pch_defines,time_macros \
    --setenv OMPI_ALLOW_RUN_AS_ROOT 1 --setenv OMPI_ALLOW_RUN_AS_ROOT_CONFIRM 1 \
    --setenv LC_ALL C.UTF-8 --setenv TMPDIR /tmp \
    "${forget[@]}" "$@"
}
