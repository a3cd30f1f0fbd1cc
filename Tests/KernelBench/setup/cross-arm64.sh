#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# cross-arm64.sh OUT: builds imulog for 64-bit ARM with Debian 13's Swift, as one static executable, from a clean clone.
#
# Debian 13's compiler needs Debian 13's C library, so it runs in a root of its own:
#
#   $cache/debian13/root                       Debian 13 for this machine: swiftlang and its dependencies
#   $cache/debian13/root/opt/arm64/sysroot     Debian 13 for arm64: headers and libraries, nothing of it runs
#   $cache/debian13/root/opt/arm64/sdks        the same as a Swift SDK
#   $cache/debian13/build                      swift's output
#
# Packages come from the mirror that this machine's apt uses, and are verified by debootstrap and apt. The project is
# seen in the root under a layer that takes swift's writes and is discarded; mounts live in a namespace of their
# own and end with it. Needs root, 5 GB while it is made and 4 GB afterwards.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

out=$1
project=$(cd "$setup/../../.." && pwd)
home=$cache/debian13
root=$home/root
sysroot=/opt/arm64/sysroot
sdks=/opt/arm64/sdks
swift=/usr/libexec/swift # where Debian keeps it, in both
native=(swiftlang git ca-certificates libc6-dev libstdc++-14-dev libi2c-dev)
arm=({libc6{,-dev},libgcc-{s1,14-dev},libstdc++{6,-14-dev},libi2c{0,-dev},{lib,}swiftlang}:arm64 linux-libc-dev)

main() {
  [ "$(id -u)" = 0 ] || cannot "cross-building needs root, to run Debian 13's compiler in a root of its own"
  local recipe="${native[*]} ${arm[*]} $(declare -f make_root make_sysroot make_sdk)"
  if ! made debian13 "$recipe"; then
    install_tools debootstrap=debootstrap unshare=util-linux
    say "making a Debian 13 with Swift, once; the log is $home/log"
    local start=$SECONDS
    make_root >"$home/log" 2>&1 || failed "Debian 13"
    make_sysroot >>"$home/log" 2>&1 || failed "the packages for arm64"
    make_sdk
    rm -rf "$home/debs"
    mark_made debian13 "$recipe"
    say "made in $((SECONDS - start)) s, $(du -sm "$root" | cut -f1) MB"
  fi
  build
  install -m 755 "$home/build/release/imulog" "$out"
}

# Without network debootstrap ends like this, and nothing was tried; whatever else it is, the log shows.
failed() {
  tail -n 5 "$home/log" >&2
  cannot "could not fetch $1"
}

mirror() {
  local suite; suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Release: $suite" 'Component: main' | head -n 1
}

make_root() {
  local from; from=$(mirror)
  [ -n "$from" ] || cannot "this machine's apt knows no Debian mirror"
  mkdir -p "$home/debs/partial"
  eval "$(apt-config shell http_proxy Acquire::http::Proxy https_proxy Acquire::https::Proxy)"
  export http_proxy https_proxy
  alone debootstrap --variant=minbase --cache-dir="$home/debs" trixie "$root" "$from" || return
  # The same way to the mirror as this machine's apt has.
  { apt-config dump Acquire | grep -E '::(https?|Check-[A-Za-z-]*|Retries|ForceIPv[46])( |::)' || true
    printf '%s;\n' 'Acquire::Languages "none"' 'APT::Install-Recommends "false"' 'APT::Keep-Downloaded-Packages "true"' \
      'APT::Sandbox::User "root"' 'Dpkg::Options:: "--force-unsafe-io"'; } >"$root/etc/apt/apt.conf.d/90kernelbench"
}

make_sysroot() {
  inside "$home/debs=/var/cache/apt/archives" -- bash -euxc '
    dpkg --add-architecture arm64
    apt-get -qq update
    apt-get -qqy install $2
    mkdir -p "$1/usr/lib" /var/cache/apt/archives/arm64
    ln -s usr/lib "$1/lib"
    cd /var/cache/apt/archives/arm64
    apt-get -qq download $3
    for file in *.deb; do
      dpkg-deb --fsys-tarfile "$file" | tar -x -C "$1" --keep-directory-symlink --exclude ./usr/bin --exclude ./usr/share \
        --exclude "./usr/libexec/swift/bin" --exclude "./usr/libexec/swift/lib/lib*"
    done' make_sysroot "$sysroot" "${native[*]}" "${arm[*]}"
}

make_sdk() {
  local sdk=$root$sdks/arm64.artifactbundle
  mkdir -p "$sdk"
  echo '{ "CanonicalName": "linux", "Version": "13.0", "VersionMap": {} }' >"$root$sysroot/SDKSettings.json"
  cat >"$sdk/info.json" <<JSON
{ "schemaVersion": "1.0", "artifacts": { "arm64": { "type": "swiftSDK", "version": "1",
  "variants": [{ "path": ".", "supportedTriples": ["x86_64-pc-linux-gnu"] }] } } }
JSON
  cat >"$sdk/swift-sdk.json" <<JSON
{ "schemaVersion": "4.0", "targetTriples": { "aarch64-unknown-linux-gnu": {
  "sdkRootPath": "$sysroot", "toolsetPaths": ["toolset.json"],
  "swiftResourcesPath": "$sysroot$swift/lib/swift", "swiftStaticResourcesPath": "$sysroot$swift/lib/swift_static" } } }
JSON
  cat >"$sdk/toolset.json" <<JSON
{ "schemaVersion": "1.0", "rootPath": "$swift/bin", "linker": { "path": "ld.lld" },
  "cCompiler": { "extraCLIOptions": ["-fPIC", "--gcc-toolchain=$sysroot/usr"] },
  "swiftCompiler": { "extraCLIOptions": ["-use-ld=lld", "-tools-directory", "$swift/bin", "-Xclang-linker",
    "--gcc-toolchain=$sysroot/usr", "-Xclang-linker", "--sysroot=$sysroot"] } }
JSON
}

build() {
  local key value mounts=("+$project" "$home/build=/build")
  mkdir -p "$home/build"
  # Where this machine's git finds the packages that the project needs, when it has them nearby.
  printf '[safe]\n\tdirectory = *\n' >"$home/build/gitconfig"
  while read -r key value; do
    key=${key#url.}; key=${key%.insteadof}
    printf '[url "%s"]\n\tinsteadOf = %s\n' "$key" "$value" >>"$home/build/gitconfig"
    [ ! -d "$key" ] || [[ " ${mounts[*]} " == *" $key "* ]] || mounts+=("$key")
  done < <(cd "$project" && git config --get-regexp '^url\..*\.insteadof$')
  inside "${mounts[@]}" -- bash -c 'cd "$1" && swift build --scratch-path /build "${@:2}"' build "$project" \
    -c release --product imulog --swift-sdks-path "$sdks" --swift-sdk arm64 --static-swift-stdlib \
    -Xswiftc -Xclang-linker -Xswiftc -static -Xswiftc -Xclang-linker -Xswiftc -Wno-unused-command-line-argument \
    -Xlinker --no-export-dynamic -Xlinker --gc-sections -Xlinker --strip-all >"$home/build.log" 2>&1 ||
    { tail -n 20 "$home/build.log" >&2; say "imulog does not build for arm64"; exit 1; }
}

alone() { unshare --mount --pid --fork --kill-child "$@"; }

# inside MOUNT... -- COMMAND...: runs COMMAND in the root. A MOUNT is DIR (seen at its own path, read-only), +DIR (the
# same, but writes there succeed and are lost) or DIR=AT (writable, seen at AT).
inside() { alone bash -euc "$(declare -f enter); enter \"\$@\"" enter "$root" "$@"; }
enter() {
  local root=$1 file; shift
  mount -t proc proc "$root/proc"
  mount -t tmpfs tmpfs "$root/tmp"
  mkdir "$root/tmp/.upper" "$root/tmp/.work"
  touch "$root/etc/resolv.conf" "$root/etc/hosts"
  for file in /sys /dev /etc/resolv.conf /etc/hosts; do mount --rbind "$file" "$root$file"; done
  while [ "$1" != -- ]; do
    case $1 in
      +*) mkdir -p "$root${1#+}"; cd "${1#+}"
          mount -t overlay -o "lowerdir=.,upperdir=$root/tmp/.upper,workdir=$root/tmp/.work" overlay "$root${1#+}" ;;
      *=*) mkdir -p "$root${1##*=}"; mount --bind "${1%=*}" "$root${1##*=}" ;;
      *) mkdir -p "$root$1"; mount --bind "$1" "$root$1"; mount -o remount,bind,ro "$root$1" ;;
    esac
    shift
  done
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    GIT_CONFIG_GLOBAL=/build/gitconfig chroot "$root" "${@:2}"
}

main
