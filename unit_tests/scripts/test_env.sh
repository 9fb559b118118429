#!/usr/bin/env bash
# scripts/env where things go wrong, with stand-ins for mmdebstrap and bubblewrap.   test_env.sh SCRIPTS SCRATCH
set -u
. "$(dirname "$0")/check.sh"
scripts=$1
unset ASHLAR_INSIDE ASHLAR_PRESET ASHLAR_ENV_MKL Kokkos_ROOT CMAKE_PREFIX_PATH
export ASHLAR_ENV=rootfs

# stand_in NAME: an executable of this name, found first; its text comes from standard input.
stand_in() { mkdir -p bin; { echo '#!/usr/bin/env bash'; cat; } >"bin/$1"; chmod +x "bin/$1"; }

# A machine on which making the environment takes no time. Half of it is there before the commands of standard input
# are run, in which mmdebstrap may fail. The path has a space, since people have those.
machine() {
  export ASHLAR_CACHE=$PWD/'the cache' PATH=$PWD/bin:$system_path
  { echo 'while [ "$1" != sid ]; do shift; done; target=$2; mkdir -p "$target/usr"; echo made >>made'
    cat
    echo 'touch "$target/usr/whole"'; } |
    stand_in mmdebstrap
  stand_in bwrap <<<'[ "${!#}" = true ] || echo "entered: ${!#}"'
  stand_in df <<<'printf "%s\n" "Filesystem 1024-blocks Used Available" "/dev/x 9 9 ${FREE_KB:-9000000}"'
  stand_in apt-get <<<'echo "mirror://there Debian"'
  stand_in apt-config </dev/null
  stand_in dpkg <<<'echo amd64'
  stand_in id <<<'echo 0'
}

# All that is in the cache and might be taken for an environment, and how many are whole.
environments() {
  echo "$(find "$ASHLAR_CACHE" -mindepth 1 -maxdepth 1 -name 'rootfs-*' -type d | wc -l)" \
       "$(find "$ASHLAR_CACHE" -name whole | wc -l)"
}

wait_for() { local i; for i in {1..200}; do [ ! -e "$1" ] || return 0; sleep 0.05; done; fail "$1 never came"; }

test_made_once_then_entered() {
  machine </dev/null
  expect_equal "$("$scripts/env" first 2>log)" 'entered: first'
  expect_equal "$("$scripts/env" second 2>log)" 'entered: second'
  expect_equal "$(environments)" "1 1"
  expect_equal "$(wc -l <made)" 1
}

test_mkl_is_an_environment_of_its_own() {
  machine <<<'echo "$ASHLAR_ENV_MKL" >>mkl'
  expect_equal "$(ASHLAR_ENV_MKL='' "$scripts/env" without 2>log)" 'entered: without'
  expect_equal "$(ASHLAR_ENV_MKL=1 "$scripts/env" with 2>log)" 'entered: with'
  expect_equal "$(environments)" "2 2"
  expect_equal "$(cat mkl)" $'\n1'
}

test_fails() {
  machine <<<'echo no such mirror >&2; exit 25'
  "$scripts/env" x >out 2>log
  expect_equal $? 1
  expect_text 'no such mirror' log
  expect_text 'could not be made' log
  expect_equal "$(cat out)" ''
  expect_equal "$(environments)" "0 0"
  machine </dev/null
  expect_equal "$("$scripts/env" again 2>log)" 'entered: again'
}

# interrupted SIGNAL: Ctrl-C and its kin reach the whole group.
interrupted() {
  machine <<<'touch started; sleep 30'
  set -m
  "$scripts/env" x >out 2>log &
  set +m
  wait_for started
  kill "-$1" -- "-$!"
  { wait $!; } 2>/dev/null
  [ $? -ne 0 ] || fail 'an interrupted run succeeded'
  expect_equal "$(cat out)" ''
  machine </dev/null
  expect_equal "$("$scripts/env" again 2>log)" 'entered: again'
  expect_equal "$(environments)" "1 1"
}
test_ctrl_c() { interrupted INT; }
test_terminated() { interrupted TERM; }
# Leaves a half, which nobody takes for whole and the next run clears away.
test_killed() { interrupted KILL; }

test_two_at_once() {
  machine <<<'touch started; while [ ! -e go_on ]; do sleep 0.05; done'
  "$scripts/env" one >out1 2>log1 &
  wait_for started
  "$scripts/env" two >out2 2>log2 &
  local i
  for i in {1..200}; do ! grep -qs waiting log2 || break; sleep 0.05; done
  touch go_on
  wait
  expect_text 'another run is making the environment' log2
  expect_equal "$(cat out1 out2)" $'entered: one\nentered: two'
  expect_equal "$(wc -l <made)" 1
}

test_disk_full() {
  machine </dev/null
  FREE_KB=1234567 "$scripts/env" x 2>log
  expect_equal $? 1
  expect_text '1 GB are free in' log
  expect_text 'ASHLAR_CACHE' log
  [ ! -e made ] || fail 'it began all the same'
}

test_no_namespace() {
  machine </dev/null
  stand_in bwrap <<<'echo "bwrap: No permissions" >&2; exit 1'
  "$scripts/env" x 2>log
  expect_equal $? 1
  expect_text 'bwrap: No permissions' log
  expect_text 'Kokkos_ROOT' log
  [ ! -e made ] || fail 'it began all the same'
}

test_no_debian() {
  mkdir bin
  local tool
  for tool in bash sh dirname id realpath sha256sum cut flock cat; do ln -s "$(command -v "$tool")" bin/; done
  ASHLAR_CACHE=$PWD/cache PATH=$PWD/bin "$scripts/env" x 2>log
  expect_equal $? 1
  expect_text 'on Debian only' log
  expect_text 'Kokkos_ROOT' log
}

test_no_home() {
  machine </dev/null
  env -u HOME -u XDG_CACHE_HOME -u ASHLAR_CACHE "$scripts/env" x 2>log
  expect_equal $? 1
  expect_text 'neither HOME nor ASHLAR_CACHE is set' log
  env -u ASHLAR_CACHE HOME= XDG_CACHE_HOME= "$scripts/env" x 2>log
  expect_equal $? 1
  expect_text 'neither HOME nor ASHLAR_CACHE is set' log
  [ ! -e made ] || fail 'it began all the same'
  expect_equal "$(env -u HOME -u ASHLAR_CACHE XDG_CACHE_HOME="$PWD/xdg" "$scripts/env" cached 2>log)" 'entered: cached'
  [ -d xdg/ashlar ] || fail 'XDG_CACHE_HOME is not followed'
  expect_equal "$(env -u XDG_CACHE_HOME -u ASHLAR_CACHE HOME="$PWD/home" "$scripts/env" homely 2>log)" 'entered: homely'
  [ -d home/.cache/ashlar ] || fail 'HOME is not followed'
}

# expect_untrusted WHY: what lies in the cache is not run.
expect_untrusted() {
  local out
  out=$("$scripts/env" x 2>log)
  expect_equal $? 1
  expect_equal "$out" ''
  expect_text "cannot be trusted ($1); " log
  expect_text 'set ASHLAR_CACHE to' log
}

test_where_others_can_write() {
  machine </dev/null
  local others rootfs
  others="users other than $(stat -c %U .) can write to"
  ASHLAR_CACHE=$PWD/above/cache
  mkdir -p "$ASHLAR_CACHE"
  chmod 777 above
  expect_untrusted "$others $PWD/above"
  [ ! -e made ] || fail 'it began all the same'
  chmod 1777 above  # as /tmp is: nobody can replace our folder in it
  expect_equal "$("$scripts/env" sticky 2>log)" 'entered: sticky'
  rootfs=$(echo "$ASHLAR_CACHE"/rootfs-*[0-9a-f])
  chmod 1777 "$ASHLAR_CACHE"  # there anybody can put a new environment
  expect_untrusted "$others $ASHLAR_CACHE"
  chmod 755 "$ASHLAR_CACHE"
  chmod 777 "$rootfs"
  expect_untrusted "$others $rootfs"
  chmod 755 "$rootfs"
  expect_equal "$("$scripts/env" again 2>log)" 'entered: again'
  expect_equal "$(wc -l <made)" 1
}

test_of_another_user() {
  [ "$EUID" = 0 ] || { echo 'not tested, needs root: folders of another user'; return; }
  machine </dev/null
  local stranger=54321 folder
  mkdir -m 1777 tmp
  ASHLAR_CACHE=$PWD/tmp/cache/ashlar
  "$scripts/env" x >out 2>log || fail 'it is refused as it is made'
  for folder in "$PWD/tmp/cache" "$ASHLAR_CACHE" "$(echo "$ASHLAR_CACHE"/rootfs-*[0-9a-f])"; do
    chown "$stranger" "$folder"
    expect_untrusted "$folder belongs to the user UNKNOWN"
    chown 0 "$folder"
  done
  chown "$stranger" "$ASHLAR_CACHE"
  ln -s "$ASHLAR_CACHE" link
  ASHLAR_CACHE=$PWD/link expect_untrusted "$ASHLAR_CACHE belongs to the user UNKNOWN"
}

# With the real bubblewrap, if it works here, and a root file system that holds what this machine has in /usr and /etc.
test_files_are_those_of_the_machine() {
  bwrap --dev-bind / / true 2>log || { echo 'not tested, no bubblewrap works here: files in the environment'; return; }
  local user root folder file
  user=$(id -u)
  machine </dev/null
  rm bin/bwrap
  root=$ASHLAR_CACHE/rootfs-$(sha256sum "$scripts/impl/make_rootfs" | cut -c1-12)
  mkdir -p "$root"
  ln -s /usr /etc "$root/"
  for folder in bin lib lib64 sbin; do [ ! -L "/$folder" ] || ln -s "usr/$folder" "$root/$folder"; done
  for folder in /dev/shm "/run/user/$user" /var/tmp /tmp / /dev /run /var "$PWD"; do
    [ -w "$folder" ] || continue
    file=$(mktemp "$folder/ashlar_test.XXXXXX") || continue
    echo "written outside" >"$file"
    expect_equal "$("$scripts/env" bash -c 'cat "$1" && echo "written inside" >"$1.out"' x "$file" 2>&1)" 'written outside'
    expect_equal "$(cat "$file.out" 2>&1)" 'written inside'
    rm -f "$file" "$file.out"
  done
  "$scripts/env" touch /usr/ashlar_test 2>log
  expect_text 'Read-only' log
  expect_equal "$("$scripts/env" bash -c 'echo text >/dev/stdout' | cat)" 'text'
}

# refused ARGS...: what scripts/ashlar says of these arguments in a root file system, before it builds anything.
refused() { ( . "$scripts/impl/lib.sh"; ASHLAR_INSIDE=rootfs refuse_system_files "$@" ) 2>&1; }

test_files_in_system_directories_are_refused() {
  local path
  for path in /usr/local/none.mtx /etc/none.mtx /lib/none.mtx; do
    refused solve --matrix "$path" >log && fail "$path is taken"
    expect_text 'cannot be read or written' log
  done
  refused solve --solution=/usr/none.mtx >log && fail 'a path after = is taken'
  expect_text '/usr/none.mtx' log
  ln -s /usr link
  refused solve --matrix link/none.mtx >log && fail 'a path through a link is taken'
  expect_equal "$(refused solve --matrix /etc/passwd --solution x.mtx --report=/tmp/r.json --rtol 1e-8)" ''
  expect_equal "$(cd /usr && refused solve --problem cantilever)" ''
  # A machine's own directories, elsewhere.
  expect_equal "$( . "$scripts/impl/lib.sh"; ASHLAR_INSIDE=native refuse_system_files /usr/local/none.mtx 2>&1)" ''
}

test_unknown_kind() {
  ASHLAR_ENV=docker "$scripts/env" x 2>log
  expect_equal $? 1
  expect_text "ASHLAR_ENV is 'docker'" log
}

# native DEVICES: what scripts/env says of a machine whose Kokkos has these.
native() {
  mkdir -p kokkos
  printf 'set(Kokkos_DEVICES "%s")\n' "$1" >kokkos/KokkosConfig.cmake
  printf 'set(PACKAGE_VERSION 5.1.0)\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n' >kokkos/KokkosConfigVersion.cmake
  PATH=$system_path ASHLAR_ENV=native Kokkos_ROOT=$PWD/kokkos "$scripts/env" bash -c 'echo "$ASHLAR_INSIDE $ASHLAR_PRESET"'
}
test_native_openmp() { expect_equal "$(native OPENMP)" 'native openmp'; }
test_native_cuda() { expect_equal "$(native 'CUDA;OPENMP;SERIAL')" 'native cuda-hopper'; }
test_native_serial() { expect_equal "$(native SERIAL)" 'native serial'; }

system_path=$PATH
run_tests "$2"
