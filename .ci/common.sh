# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts that work in a Debian of their own: how it is made. From the kernel bench's they have where
# things are kept, and how to say that something cannot run here.
. "$(dirname "${BASH_SOURCE[0]}")/../Tests/KernelBench/setup/common.sh"

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Runs a command whose mounts and processes end with it.
alone() { unshare --mount --pid --fork --kill-child "$@"; }

# make_debian SUITE ROOT LOG [OPTION]...: makes ROOT with debootstrap and its options, from the mirror that this machine's
# apt uses, and over the same way.
make_debian() {
  local suite=$1 root=$2 log=$3 from; shift 3
  install_tools debootstrap=debootstrap unshare=util-linux
  from=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
    "Release: $(. /etc/os-release && echo "${VERSION_CODENAME:-}")" 'Component: main' | head -n 1)
  [ -n "$from" ] || cannot "this machine's apt knows no Debian mirror"
  eval "$(apt-config shell http_proxy Acquire::http::Proxy https_proxy Acquire::https::Proxy)"
  export http_proxy https_proxy
  alone debootstrap --variant=minbase "$@" "$suite" "$root" "$from" >"$log" 2>&1 || no_debian "$log"
  { apt-config dump Acquire | grep -E '::(https?|Check-[A-Za-z-]*|Retries|ForceIPv[46])( |::)' || true
    echo 'APT::Sandbox::User "root";'; } >"$root/etc/apt/apt.conf.d/90imulog"
}

# no_debian LOG: ends the script. Without network debootstrap and apt end here, and nothing was tried; any other cause is
# in the log.
no_debian() {
  tail -n 5 "$1" >&2
  cannot "could not fetch Debian; the log is $1"
}
