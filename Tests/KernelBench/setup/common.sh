# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts beside it: where things are kept, and how to say that the bench cannot run here.
set -euo pipefail

setup=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${KERNELBENCH_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/imulog-kernelbench}
cannot_run=77 # the exit status that says: nothing was tried, because this machine or its network lacks something
mkdir -p "$cache"

say() { echo "${program:-kernelbench}: $*" >&2; }
cannot() { say "cannot run here: $*"; exit $cannot_run; }

# install_tools COMMAND=PACKAGE...: installs the packages whose commands are missing.
install_tools() {
  local pair missing=()
  for pair in "$@"; do
    PATH=$PATH:/usr/sbin:/sbin command -v "${pair%%=*}" >/dev/null || missing+=("${pair#*=}")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  [ "$(id -u)" = 0 ] || cannot "missing: ${missing[*]}; run 'apt-get install ${missing[*]}' as root"
  say "installing ${missing[*]}"
  apt_get install -y --no-install-recommends "${missing[@]}" || cannot "apt-get could not install ${missing[*]}"
}

# download DIR PACKAGE...: puts the packages' files into DIR; apt checks them against the archive's signature.
download() {
  local dir=$1; shift
  mkdir -p "$dir"
  (cd "$dir" && apt_get download "$@") || cannot "apt-get could not fetch $*"
}

# Tries as things are, then with fresh package lists. Output goes to a log, which is shown when it is needed.
apt_get() {
  local log=$cache/apt.log
  DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@" >"$log" 2>&1 && return
  apt-get -qq update >"$log" 2>&1 && DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@" \
    >>"$log" 2>&1 && return
  tail -n 5 "$log" >&2
  return 1
}

# made NAME INPUT...: whether DIR $cache/NAME was made from exactly these inputs (texts); if not, it is removed.
made() {
  local name=$1; shift
  [ "$(cat "$cache/$name/.made" 2>/dev/null)" != "$(sum "$@")" ] || return 0
  rm -rf --one-file-system "${cache:?}/$name"
  mkdir -p "$cache/$name"
  return 1
}
mark_made() { local name=$1; shift; sum "$@" >"$cache/$name/.made"; }
sum() { printf '%s\n' "$@" | sha256sum | cut -d' ' -f1; }
