#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools.sh amd64|arm64: QEMU for the architecture, and the tools that make file systems for power cuts.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

case $1 in
  amd64) install_tools qemu-system-x86_64=qemu-system-x86 mkfs.ext4=e2fsprogs mkfs.f2fs=f2fs-tools mkfs.vfat=dosfstools ;;
  arm64) install_tools qemu-system-aarch64=qemu-system-arm ;;
  *) say "usage: tools.sh amd64|arm64"; exit 64 ;;
esac
