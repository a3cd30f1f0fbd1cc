#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# pi.sh PROGRAM OUT: what a Raspberry Pi 3 is made of; OUT is its initramfs, with PROGRAM as /bin/imulog.
#
#   qemu-system-arm and what it needs ──► $cache/pi/qemu     of Debian 13, whose Pi has I2C; it is not installed
#   linux-image-V for arm64           ──► $cache/pi/kernel   boot/vmlinuz-V and the boards' device trees
#   its modules, busybox, guest/pi-init ► $cache/pi/root     the guest's root without PROGRAM
#
# Prints the folder $cache/pi. Packages come through this machine's apt, with Debian 13's lists, and are verified by it.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

binary=$1 out=$2
guest=$setup/../guest
home=$cache/pi root=$cache/pi/root
modules=(i2c-bcm2835 i2c-dev i2c-mux-pca954x bcm2835_thermal)

main() {
  install_tools cpio=cpio modprobe=kmod xz=xz-utils
  local version recipe
  debian13
  version=$(newest) || cannot "apt cannot reach Debian 13's kernel for arm64"
  recipe="$version $(cat "$0" "$guest/pi-init")"
  if ! made pi "$recipe"; then
    say "getting Linux $version and Debian 13's QEMU"
    fetch "$version"
    make_root "$version"
    mark_made pi "$recipe"
  fi
  local own; own=$(mktemp -d)
  trap "rm -rf '$own'" EXIT
  install -D -m 755 "$binary" "$own/bin/imulog"
  { pack "$root"; pack "$own"; } >"$out"
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
  mkdir -p "$home"/{qemu,kernel,debs/partial} "$root"
  apt_get -y --download-only -o "Dir::Cache::archives=$home/debs" install qemu-system-arm:amd64 ||
    cannot "apt-get could not fetch Debian 13's QEMU"
  for file in "$home"/debs/*.deb; do
    dpkg-deb --fsys-tarfile "$file" | tar -x -C "$home/qemu" --keep-directory-symlink
  done
  download "$home/debs" "linux-image-$1:arm64" busybox-static:arm64
  dpkg-deb -x "$home"/debs/linux-image-*.deb "$home/kernel"
  dpkg-deb --fsys-tarfile "$home"/debs/busybox-static_*.deb | tar -x -C "$root" --strip-components 2 ./usr/bin/busybox
  find "$home/kernel" -name '*.dtb' ! -name 'bcm2*' -delete
  rm -r "$home/debs"
}

make_root() {
  local name file verb kernel=$home/kernel/usr
  mkdir -p "$root"/{modules,dev,proc,sys,tmp,etc}
  PATH=$PATH:/sbin depmod -b "$kernel" "$1"
  for name in "${modules[@]}"; do
    while read -r verb file _; do
      [ "$verb" = insmod ] || continue # else it is built in
      xz -dc "$file" >"$root/modules/$(basename "$file" .xz)"
      basename "$file" .xz >>"$root/modules/order"
    done < <(PATH=$PATH:/sbin modprobe -d "$kernel" -S "$1" -D "$name")
  done
  rm -r "$kernel/lib/modules"
  ln -s busybox "$root/bin/sh"
  echo root:x:0:0::/:/bin/sh >"$root/etc/passwd"
  install -m 755 "$guest/pi-init" "$root/init"
}

pack() { (cd "$1" && find . | LC_ALL=C sort | cpio -o -H newc -R 0:0 --quiet); }

main
