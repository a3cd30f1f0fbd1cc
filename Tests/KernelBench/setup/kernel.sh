#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# kernel.sh amd64|arm64: Debian's kernel for the guest, unpacked and not installed, with the virtio drivers built for it.
#
#   linux-image-V    ──► boot/ and lib/modules/V ─────────────────────┐
#   linux-headers-V  ──┐                                              ├─► $cache/kernel-ARCH
#   linux-source-6.1 ──┼► i2c-virtio.ko gpio-virtio.ko ► modules/extra ┤
#                      │  i2c-mux-pca954x.ko, which Debian's amd64 lacks│
#   board.c ───────────┴► board.ko ────────────────────► modules/extra ┘
#
# Prints the folder; its file `version` names the kernel. Packages come through this machine's apt, which verifies them.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

arch=$1
case $arch in
  amd64) cross=() prefix= ;;
  arm64) cross=(ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu-) prefix=aarch64-linux-gnu- ;;
  *) say "usage: kernel.sh amd64|arm64"; exit 64 ;;
esac
series=6.1 # drivers.patch is made for it

main() {
  install_tools make=make patch=patch xz=xz-utils depmod=kmod "${prefix}gcc-12=gcc-12${prefix:+-${prefix%-}}" "${prefix}ld=binutils${prefix:+-${prefix%-}}"
  local version out=$cache/kernel-$arch
  if [ "$arch" != amd64 ]; then foreign_apt; fi
  version=$(newest) || cannot "apt knows no linux-image-$series.*-$arch; it is in Debian 12"
  if ! made "kernel-$arch" "$version" "$(cat "$0" "$setup"/drivers.patch "$setup"/board.c)"; then
    say "getting Linux $version"
    unpack "$version" "$out"
    build "$version" "$out" >"$out/build.log" 2>&1 || { tail -n 20 "$out/build.log" >&2; say "drivers do not build"; exit 1; }
    rm -rf "$out/debs" "$out/headers"
    echo "$version" >"$out/version"
    mark_made "kernel-$arch" "$version" "$(cat "$0" "$setup"/drivers.patch "$setup"/board.c)"
  fi
  echo "$out"
}

# A second architecture in an apt state of our own, so that the machine's own list of architectures stays as it is.
foreign_apt() {
  local state=$cache/apt-$arch
  mkdir -p "$state"/{lists/partial,cache/archives/partial}
  printf '%s;\n' "Dir::State::lists \"$state/lists\"" "Dir::Cache \"$state/cache\"" 'Acquire::Languages "none"' \
    "APT::Architectures { \"amd64\"; \"$arch\"; }" 'APT::Sandbox::User "root"' >"$state/conf"
  export APT_CONFIG=$state/conf
}

newest() {
  local tries
  for tries in 1 2; do
    apt-cache depends "linux-image-$arch:$arch" 2>/dev/null |
      sed -n "s/.*Depends: linux-image-\($series\.[0-9.-]*-$arch\)\(:$arch\)\?$/\1/p" | head -n 1 | grep . && return
    [ $tries = 2 ] || apt-get -qq update >"$cache/apt.log" 2>&1 || return
  done
  return 1
}

unpack() {
  local version=$1 out=$2 source=linux-source-$series file
  local common=linux-headers-${version%-"$arch"}-common kbuild=linux-kbuild-$series
  download "$out/debs" "linux-image-$version:$arch" "linux-headers-$version:$arch" "$common" "$kbuild" "$source"
  for file in "$out"/debs/linux-{headers,kbuild}-*.deb; do dpkg-deb -x "$file" "$out/headers"; done
  dpkg-deb --fsys-tarfile "$out"/debs/linux-image-*.deb | tar -C "$out" -x ./boot ./lib/modules
  mkdir "$out/drivers"
  dpkg-deb --fsys-tarfile "$out"/debs/"$source"_*.deb | tar -x --to-stdout ./usr/src/$source.tar.xz |
    tar -C "$out/drivers" -xJ --transform='s,.*/,,' \
      $source/drivers/i2c/busses/i2c-virtio.c $source/drivers/gpio/gpio-virtio.c $source/drivers/gpio/gpiolib.h \
      $source/drivers/i2c/muxes/i2c-mux-pca954x.c
}

build() {
  local version=$1 out=$2 tree=$2/headers/usr/src/linux-headers-$1
  # Of the links between the headers' packages this one alone is absolute.
  sed -i "s,^include /usr/src/,include $out/headers/usr/src/," "$tree/Makefile"
  (cd "$out/drivers" && patch -p1 -s <"$setup/drivers.patch")
  cp "$setup/board.c" "$out/drivers/"
  echo 'obj-m := i2c-virtio.o gpio-virtio.o board.o i2c-mux-pca954x.o' >"$out/drivers/Makefile"
  make -s -C "$tree" "${cross[@]}" M="$out/drivers" modules || return
  ${prefix}strip -g "$out"/drivers/*.ko
  mkdir -p "$out/lib/modules/$version/extra"
  cp "$out"/drivers/*.ko "$out/lib/modules/$version/extra/"
  PATH=$PATH:/sbin depmod -b "$out" "$version"
  [ "$arch" != amd64 ] || python3 - "$out/boot/vmlinuz-$version" "$out/boot/vmlinux" <<'PYTHON'
"""Unpacks the kernel: QEMU starts an ELF through PVH, so that no emulated CPU has to run the xz decompressor."""
import lzma, struct, sys
image = open(sys.argv[1], "rb").read()
setup_sectors = image[0x1F1] or 4
payload = (setup_sectors + 1) * 512 + struct.unpack_from("<I", image, 0x248)[0]
open(sys.argv[2], "wb").write(lzma.LZMADecompressor().decompress(image[payload:]))
PYTHON
}

main
