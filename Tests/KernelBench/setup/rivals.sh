#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# rivals.sh: a disk image with the programs of others that the torture test runs, and the libraries that they need:
# Debian's shell, Python, i2c-tools and libiio, and a Python library for the MPU-6050. Prints the image's path.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

packages=(
  dash coreutils libacl1 libattr1 libgmp10 libselinux1 libpcre2-8-0 libc6 libgcc-s1 libstdc++6 zlib1g
  i2c-tools libi2c0
  python3.11-minimal libpython3.11-minimal libexpat1 python3-smbus
  libiio-utils libiio0 libxml2 libicu72 liblzma5 libusb-1.0-0 libudev1 libavahi-client3 libavahi-common3 libdbus-1-3
  libsystemd0 libcap2 libgcrypt20 libgpg-error0 liblz4-1 libzstd1)
library=mpu6050-raspberrypi==1.2

install_tools mkfs.ext4=e2fsprogs pip3=python3-pip
if ! made rivals "$(cat "$0")"; then
  root=$cache/rivals/root
  mkdir -p "$root"/{dev,proc,sys,tmp,disk,host}
  download "$cache/rivals/debs" "${packages[@]}"
  for file in "$cache"/rivals/debs/*.deb; do dpkg-deb --fsys-tarfile "$file" | tar -x -C "$root" --keep-directory-symlink; done
  rm -rf "$root"/usr/share
  pip3 -q --disable-pip-version-check download --no-deps -d "$cache/rivals/wheels" "$library" >&2 ||
    cannot "pip could not fetch $library"
  python3 -m zipfile -e "$cache"/rivals/wheels/*.whl "$root/usr/lib/python3/dist-packages"
  mkfs.ext4 -q -d "$root" "$cache/rivals/image" 256M >&2
  rm -rf "$root" "$cache/rivals/debs"
  mark_made rivals "$(cat "$0")"
fi
echo "$cache/rivals/image"
