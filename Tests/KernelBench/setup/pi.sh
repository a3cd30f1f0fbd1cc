#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# pi.sh PROGRAM OUT: what a Raspberry Pi 3 is made of. OUT is its initramfs, with PROGRAM's package as /imulog.deb; in
# OUT.unpacked its files are in their places, for boards that need not install it, which takes a minute on a busy host.
#
#   qemu-system-arm and what it needs ──► $cache/pi/qemu     of Debian 13, whose Pi has I2C; it is not installed
#   linux-image-V for arm64           ──► $cache/pi/kernel   boot/vmlinuz-V and the boards' device trees
#   its modules, dpkg, busybox          ► $cache/pi/root     the guest's root without PROGRAM and guest/pi-init
#   .ci/package                         ► imulog_VERSION_arm64.deb
#
# dpkg's root has the files of its packages and no word of them, so that imulog's is the only package. Prints the folder
# $cache/pi. Packages come through this machine's apt, with Debian 13's lists, and are verified by it.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

binary=$1 out=$2
guest=$setup/../guest
project=$(cd "$setup/../../.." && pwd)
home=$cache/pi root=$cache/pi/root
modules=(i2c-bcm2835 i2c-dev i2c-mux-pca954x bcm2835_thermal)

main() {
  install_tools cpio=cpio modprobe=kmod xz=xz-utils qemu-aarch64-static=qemu-user-static
  local version recipe package own
  # Made from the repository's root, by which it is named; it runs the program for its help.
  package=$("$project/.ci/package" --program "$binary" arm64)
  debian13
  version=$(newest) || cannot "apt cannot reach Debian 13's kernel for arm64"
  recipe="$version $(cat "$0")"
  if ! made pi "$recipe"; then
    say "getting Linux $version and Debian 13's QEMU"
    fetch "$version"
    make_root "$version"
    mark_made pi "$recipe"
  fi
  own=$(mktemp -d)
  trap "rm -rf '$own'" EXIT
  install -m 644 "$project/${package%%:*}" "$own/imulog.deb"
  install -m 755 "$guest/pi-init" "$own/init"
  { pack "$root"; pack "$own"; } >"$out"
  dpkg-deb --fsys-tarfile "$own/imulog.deb" | tar -x -C "$own"
  rm "$own/imulog.deb"
  { pack "$root"; pack "$own"; } >"$out.unpacked"
  echo "$home"
}

# Debian 13 in an apt state of its own, in which nothing is installed: so all that QEMU needs is fetched.
debian13() {
  local state=$cache/apt-debian13 from
  from=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
    "Release: $(. /etc/os-release && echo "${VERSION_CODENAME:-}")" 'Component: main' | head -n 1)
  [ -n "$from" ] || cannot "this machine's apt knows no Debian mirror"
  mkdir -p "$state"/{lists/partial,cache/archives/partial}
  echo "deb $from trixie main" >"$state/sources"
  printf '%s;\n' "Dir::State::lists \"$state/lists\"" 'Dir::State::status "/dev/null"' "Dir::Cache \"$state/cache\"" \
    "Dir::Etc::SourceList \"$state/sources\"" 'Dir::Etc::SourceParts "/dev/null"' 'Acquire::Languages "none"' \
    'APT::Architectures { "amd64"; "arm64"; }' 'APT::Install-Recommends "false"' 'APT::Sandbox::User "root"' \
    >"$state/conf"
  export APT_CONFIG=$state/conf
}

newest() {
  local tries
  for tries in 1 2; do
    apt-cache depends linux-image-arm64:arm64 2>/dev/null |
      sed -n 's/.*Depends: linux-image-\([0-9.]*+deb13[a-z0-9.]*-arm64\)\(:arm64\)\?$/\1/p' | grep -m 1 . && return
    [ $tries = 2 ] || apt-get -qq update >"$cache/apt.log" 2>&1 || return
  done
  return 1
}

fetch() {
  local file
  mkdir -p "$home"/{qemu,kernel,debs,root/usr/{bin,sbin,lib}}
  for file in bin sbin lib; do ln -s "usr/$file" "$root/$file"; done
  unpack "$home/qemu" qemu-system-arm:amd64
  # ldconfig is libc-bin's; dpkg wants it.
  unpack "$root" {dpkg,tar,libc-bin,busybox-static}:arm64 --exclude ./usr/share --exclude './usr/lib/*/gconv'
  download "$home/debs" "linux-image-$1:arm64"
  dpkg-deb -x "$home"/debs/linux-image-*.deb "$home/kernel"
  find "$home/kernel" -name '*.dtb' ! -name 'bcm2*' -delete
  rm -r "$home/debs"
}

# unpack DIR PACKAGE... [OPTION OF TAR]...: the packages and what they need.
unpack() {
  local dir=$1 packages=() file; shift
  while [ $# -gt 0 ] && [[ $1 != --* ]]; do packages+=("$1"); shift; done
  mkdir -p "$home/debs/partial"
  apt_get -y --download-only -o "Dir::Cache::archives=$home/debs" install "${packages[@]}" ||
    cannot "apt-get could not fetch ${packages[*]} of Debian 13"
  for file in "$home"/debs/*.deb; do
    dpkg-deb --fsys-tarfile "$file" | tar -x -C "$dir" --keep-directory-symlink "$@"
  done
  rm -r "$home/debs"
}

make_root() {
  local name file verb kernel=$home/kernel/usr
  mkdir -p "$root"/{modules,dev,proc,sys,tmp,etc,var/lib/dpkg/{info,updates}}
  : >"$root/var/lib/dpkg/status"
  PATH=$PATH:/sbin depmod -b "$kernel" "$1"
  for name in "${modules[@]}"; do
    while read -r verb file _; do
      [ "$verb" = insmod ] || continue # else it is built in
      xz -dc "$file" >"$root/modules/$(basename "$file" .xz)"
      basename "$file" .xz >>"$root/modules/order"
    done < <(PATH=$PATH:/sbin modprobe -d "$kernel" -S "$1" -D "$name")
  done
  rm -r "$kernel/lib/modules"
  ln -sf busybox "$root/bin/sh"
  echo root:x:0:0::/:/bin/sh >"$root/etc/passwd"
}

pack() { (cd "$1" && find . | LC_ALL=C sort | cpio -o -H newc -R 0:0 --quiet); }

main
