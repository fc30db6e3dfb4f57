# Shared by ./achilles, ./test and .ci/run: packages, configuration, build. Sourced, never run.
# Everything said here goes to stderr, so that the output of the program itself can be piped.

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)"
build_root="${ACHILLES_BUILD_DIR:-$root/build}"
case "$build_root" in /*) ;; *) build_root="$PWD/$build_root" ;; esac

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
    [ "$status" = ii ] && installed[$name]=1
  done < <(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' "${wanted[@]}" 2>/dev/null)
  for name in "${wanted[@]}"; do
    [ -n "${installed[$name]:-}" ] || printf '%s\n' "$name"
  done
}

# ensure_packages STAGE...: installs what is missing; no call of apt when nothing is.
ensure_packages() {
  [ -n "${ACHILLES_SKIP_PACKAGES:-}" ] && return
  if ! command -v dpkg-query >/dev/null; then
    fail "this system has no dpkg, so packages cannot be installed here. Install the equivalents of:" \
      "$(packages_of "$@" | paste -sd' ') and set ACHILLES_SKIP_PACKAGES=1."
  fi
  local -a missing
  mapfile -t missing < <(missing_packages "$@")
  [ "${#missing[@]}" -eq 0 ] && return

  local -a apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300)
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
      fail "missing packages: ${missing[*]}. Neither root nor sudo here; as root: apt-get install ${missing[*]}"
    apt=(sudo "${apt[@]}")
  fi
  say "installing ${#missing[@]} Debian packages: ${missing[*]}"
  "${apt[@]}" update </dev/null >&2 || say "warning: 'apt-get update' failed; trying with the package lists at hand"
  if ! "${apt[@]}" install -y --no-install-recommends "${missing[@]}" </dev/null >&2; then
    # All at once failed: one by one names the culprit.
    local package
    for package in "${missing[@]}"; do
      "${apt[@]}" install -y --no-install-recommends "$package" </dev/null >&2 ||
        fail "package '$package' could not be installed ('apt-get install $package' failed, see above)"
    done
  fi
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

# build DIR TARGET...: quiet when there is nothing to do.
build() {
  local dir="$1" line shown=
  shift
  # Progress is rewritten in place on a terminal and left out elsewhere; what the compiler says is always shown.
  while IFS= read -r line; do
    case "$line" in
      'ninja: no work to do.' | 'ninja: Entering directory'* | '-- '* | *'Re-checking globbed directories'*) continue ;;
      '['*/*']'*)
        [ -n "$shown" ] || say "building in $dir"
        shown=1
        [ -t 2 ] && printf '\r\033[K%.*s' "$((${COLUMNS:-80} - 1))" "$line" >&2
        ;;
      *)
        [ -n "$shown" ] && [ -t 2 ] && printf '\r\033[K' >&2
        printf '%s\n' "$line" >&2
        ;;
    esac
  done < <(exec ninja -C "$dir" "$@" 2>&1 </dev/null)
  wait "$!" || fail "step 'build' failed in $dir, see above"
  [ -n "$shown" ] && [ -t 2 ] && printf '\r\033[K' >&2
  return 0
}
