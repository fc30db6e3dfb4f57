# Shared by ./achilles, ./test and .ci/run: packages, configuration, build. Sourced, never run.
# Everything said here goes to stderr, so that the output of the program itself can be piped.

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)"
build_root="${ACHILLES_BUILD_DIR:-$root/build}"
case "$build_root" in /*) ;; *) build_root="$PWD/$build_root" ;; esac

# Every copy of the tree shares the compiler cache: what it stores does not depend on where the tree lies.
export CCACHE_BASEDIR="${CCACHE_BASEDIR:-$root}" CCACHE_NOHASHDIR="${CCACHE_NOHASHDIR:-1}"

say() { printf 'achilles: %s\n' "$*" >&2; }
fail() {
  printf 'achilles: error: %s\n' "$*" >&2
  exit 1
}

# packages_of STAGE...: names from packages.txt.
packages_of() {
  local name stage rest wanted
  while read -r name stage rest; do
    case "$name" in '' | '#'*) continue ;; esac
    for wanted in "$@"; do
      [ "$stage" = "$wanted" ] && printf '%s\n' "$name"
    done
  done <"$root/packages.txt"
  return 0
}

# missing_packages STAGE...: those of them that are not installed.
missing_packages() {
  local -a wanted
  mapfile -t wanted < <(packages_of "$@")
  local status name
  declare -A installed=()
  while read -r status name; do
    case "$status" in ?i) installed[$name]=1 ;; esac # also one that is held at its version
  done < <(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' "${wanted[@]}" 2>/dev/null)
  for name in "${wanted[@]}"; do
    [ -n "${installed[$name]:-}" ] || printf '%s\n' "$name"
  done
}

# confirm QUESTION: asks on a terminal; without one nobody can answer, and the answer is yes.
confirm() {
  [ -t 0 ] && [ -t 2 ] || return 0
  local answer
  printf 'achilles: %s [Y/n] ' "$1" >&2
  read -r answer || return 1
  case "$answer" in '' | y | Y | yes | Yes) return 0 ;; *) return 1 ;; esac
}

# ensure_packages STAGE...: installs what is missing; no call of apt when nothing is. Never removes a package: apt
# simulates the installation first, and one that would remove anything is refused.
ensure_packages() {
  [ -n "${ACHILLES_SKIP_PACKAGES:-}" ] && return
  if ! command -v dpkg-query >/dev/null; then
    fail "this system has no dpkg, so packages cannot be installed here. Install the equivalents of:" \
      "$(packages_of "$@" | paste -sd' ') and set ACHILLES_SKIP_PACKAGES=1."
  fi
  local -a missing
  mapfile -t missing < <(missing_packages "$@")
  [ "${#missing[@]}" -eq 0 ] && return

  say "${#missing[@]} Debian packages are missing: ${missing[*]}"
  local -a apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300)
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
      fail "neither root nor sudo here; as root: apt-get install --no-install-recommends --no-remove ${missing[*]}"
    confirm "install them with sudo apt-get?" ||
      fail "nothing was installed. To build with what is there: ACHILLES_SKIP_PACKAGES=1 $0"
    apt=(sudo "${apt[@]}")
  fi
  "${apt[@]}" update </dev/null >&2 || say "warning: 'apt-get update' failed; trying with the package lists at hand"

  local plan removed
  if ! plan="$(LC_ALL=C apt-get -s install --no-install-recommends "${missing[@]}" 2>&1)"; then
    printf '%s\n' "$plan" >&2
    fail "apt-get cannot install the missing packages, see above; nothing was changed"
  fi
  removed="$(sed -n 's/^Remv \([^ ]*\).*/\1/p' <<<"$plan" | paste -sd' ')"
  [ -z "$removed" ] ||
    fail "installing ${missing[*]} would remove: $removed. Nothing was changed. Resolve the conflict by hand, or build" \
      "with what is there: ACHILLES_SKIP_PACKAGES=1 $0"
  say "installing $(grep -c '^Inst ' <<<"$plan") packages (with dependencies); none is removed"
  "${apt[@]}" install -y --no-remove --no-install-recommends "${missing[@]}" </dev/null >&2 ||
    fail "'apt-get install ${missing[*]}' failed, see above"
  mapfile -t missing < <(missing_packages "$@")
  [ "${#missing[@]}" -eq 0 ] || fail "apt-get reported success, yet these packages are missing: ${missing[*]}"
}

# lock_build DIR: makes the folder and keeps a second run out of it while this one builds.
lock_build() {
  local dir="$1" problem
  problem="$(mkdir -p "$dir" 2>&1)" ||
    fail "cannot create the build folder: ${problem#mkdir: }. Set ACHILLES_BUILD_DIR to a folder that can be written."
  [ -w "$dir" ] || fail "cannot write to $dir. Set ACHILLES_BUILD_DIR to a folder that can be written."
  exec {build_lock}>"$dir/.lock"
  if ! flock -n "$build_lock"; then
    say "waiting for another build in $dir"
    flock "$build_lock"
  fi
}

unlock_build() { exec {build_lock}>&-; }

# is_configured DIR: whether CMake has finished here before, for this very source folder.
is_configured() {
  [ -f "$1/build.ninja" ] && grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$1/CMakeCache.txt" 2>/dev/null
}

# configure PRESET DIR [cmake arguments]
configure() {
  local preset="$1" dir="$2" log="$2/configure.log"
  shift 2
  say "configuring ($preset) in $dir"
  local -a fresh=()
  is_configured "$dir" || fresh=(--fresh)
  if ! (cd "$root" && cmake "${fresh[@]}" --preset "$preset" -B "$dir" "$@") >"$log" 2>&1 </dev/null; then
    cat "$log" >&2
    fail "step 'configure' failed; the log is $log"
  fi
}

# build DIR TARGET...: quiet when there is nothing to do. Progress is rewritten in place on a terminal and told every
# half minute elsewhere; what the compiler says is always shown.
build() {
  local dir="$1" line part='' finished=0 all=0 began=$SECONDS told=$SECONDS status
  shift
  while true; do
    IFS= read -r -t 2 line
    status=$?
    if [ "$status" -gt 128 ]; then # nothing new: only the clock goes on
      part+="$line"
      [ "$all" -eq 0 ] || tell_progress
      continue
    fi
    line="$part$line" part=''
    [ "$status" -eq 0 ] || [ -n "$line" ] || break
    case "$line" in
      'ninja: no work to do.' | 'ninja: Entering directory'* | '-- '* | *'Re-checking globbed directories'*) ;;
      '['*/*']'*)
        [ "$all" -gt 0 ] || say "building in $dir"
        finished="${line#'['}" all="${line%%']'*}"
        finished="${finished%%/*}" all="${all#*/}"
        tell_progress
        ;;
      *)
        clear_progress
        printf '%s\n' "$line" >&2
        ;;
    esac
  done < <(exec env NINJA_STATUS='[%f/%t] ' ninja -C "$dir" "$@" 2>&1 </dev/null)
  clear_progress
  wait "$!" || fail "step 'build' failed in $dir, see above"
  [ "$all" -eq 0 ] || say "built in $(minutes $((SECONDS - began)))"
}

# What `build` knows about itself. The time left is estimated once a tenth is done: the pieces are of unequal size.
tell_progress() {
  local spent=$((SECONDS - began)) text
  text="$((100 * finished / all)) %, $finished of $all, $(minutes "$spent") so far"
  [ $((10 * finished)) -lt "$all" ] || text+=", about $(minutes $((spent * (all - finished) / finished))) left"
  if [ -t 2 ]; then
    printf '\r\033[Kachilles: %s' "$text" >&2
  elif [ $((SECONDS - told)) -ge 30 ]; then
    told=$SECONDS
    say "$text"
  fi
}

clear_progress() { [ "$all" -eq 0 ] || ! [ -t 2 ] || printf '\r\033[K' >&2; }

# minutes SECONDS: "40 s", "3 min 20 s".
minutes() {
  if [ "$1" -lt 60 ]; then printf '%d s' "$1"; else printf '%d min %d s' $(($1 / 60)) $(($1 % 60)); fi
}
