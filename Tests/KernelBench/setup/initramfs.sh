#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# initramfs.sh amd64|arm64 KERNEL_DIR PROGRAM OUT: the guest's root, with PROGRAM as /bin/imulog.
#
#   /init, /agent     guest/           what the guest does (see there)
#   /modules/NAME     a list           files to load for NAME, in order
#   /modules/*.ko                      the modules
#   /bin              busybox, imulog, and on amd64 the tools of guest/*.c, all linked statically
#
# The part without PROGRAM is kept; OUT is the two archives one after the other, which the kernel unpacks in that order.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

arch=$1 kernel=$2 program=$3 out=$4
guest=$setup/../guest
modules=(virtio_pci virtio_blk virtio_console 9p 9pnet_virtio ext4 crc32c_generic i2c-dev i2c-virtio)
prefix=$([ "$arch" != arm64 ] || echo aarch64-linux-gnu-)
[ "$arch" = arm64 ] || modules+=(f2fs vfat nls_ascii nls_cp437 nls_iso8859_1 gpio-virtio board i2c-stub i2c-mux-pca954x inv-mpu6050-i2c
  st_lsm6dsx_i2c crc32c-intel crc32_generic)

main() {
  install_tools cpio=cpio modprobe=kmod gcc=gcc strip=binutils
  local inputs=("$arch" "$(cat "$kernel/version" "$kernel/.made" "$0" "$guest"/*)")
  if ! made "guest-$arch" "${inputs[@]}"; then
    base "$cache/guest-$arch/root"
    pack "$cache/guest-$arch/root" >"$cache/guest-$arch/base.cpio"
    mark_made "guest-$arch" "${inputs[@]}"
  fi
  local root; root=$(mktemp -d)
  trap "rm -rf '$root'" EXIT
  mkdir "$root/bin"
  install -m 755 "$program" "$root/bin/imulog"
  [ "$arch" != amd64 ] || strip "$root/bin/imulog"
  { cat "$cache/guest-$arch/base.cpio"; pack "$root"; } >"$out.new"
  mv "$out.new" "$out"
}

base() {
  local root=$1 tool
  mkdir -p "$root"/{bin,modules,dev,proc,sys,tmp,host,disk,etc}
  ! [ -e "$cache/apt-$arch/conf" ] || export APT_CONFIG=$cache/apt-$arch/conf
  download "$root/../debs" "busybox-static:$arch"
  dpkg-deb --fsys-tarfile "$root"/../debs/busybox-static_*.deb | tar -x -C "$root/.." --wildcards '*/busybox'
  find "$root/.." -path '*bin/busybox' -exec mv {} "$root/bin/busybox" \;
  ln -s busybox "$root/bin/sh"
  echo root:x:0:0::/:/bin/sh >"$root/etc/passwd"
  install -m 755 "$guest/init" "$root/init"
  install -m 755 "$guest/agent" "$root/agent"
  for name in "${modules[@]}"; do add_module "$name" "$root/modules"; done
  # Without signatures, which an emulated processor would take long to check.
  "${prefix}strip" -g "$root"/modules/*.ko
  [ "$arch" = amd64 ] || return 0
  for tool in "$guest"/*.c; do gcc -O2 -Wall -Werror -static -o "$root/bin/$(basename "$tool" .c)" "$tool"; done
}

add_module() {
  local name=$1 dir=$2 file
  PATH=$PATH:/sbin modprobe -d "$kernel" -S "$(cat "$kernel/version")" -D "$name" 2>/dev/null >"$dir/../../chain" ||
    { say "the kernel has no module $name"; exit 1; }
  : >"$dir/$name"
  while read -r verb file _; do
    [ "$verb" = insmod ] || continue # else it is built in
    cp -n "$file" "$dir/"
    basename "$file" >>"$dir/$name"
  done <"$dir/../../chain"
}

pack() { (cd "$1" && find . | LC_ALL=C sort | cpio -o -H newc -R 0:0 --quiet); }

main
