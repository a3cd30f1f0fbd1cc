# SPDX-License-Identifier: Apache-2.0
# Stands in each of the package's scripts, because a purge runs when the program is gone.
root=${DPKG_ROOT:-}

# What `imulog install` and `imulog doctor` may write: what each file is for, and its path.
installed() {
  cat <<'FILES'
@FILES@
FILES
}

# Whether FILE is there, and no link, such as one to an administrator's own unit.
plain() { [ -f "$root$1" ] && [ ! -L "$root$1" ]; }

# Whether the units for PURPOSE, or those that links to an administrator's own lead to, start another program than the
# package's.
foreign() {
  installed | grep "^$1 .*\.service$" | while read -r _ file; do
    if [ -f "$root$file" ] && ! grep -q '^ *ExecStart *=[^/]*/usr/bin/imulog ' "$root$file"; then echo "$file"; fi
  done | grep -q .
}

# The timers that `imulog install` wrote, and that start the package's program.
timers() {
  installed | while read -r purpose file; do
    if [ "$file" != "${file%.timer}" ] && plain "$file" && ! foreign "$purpose"; then echo "${file##*/}"; fi
  done
}

live() { [ -z "$root" ] && [ -d /run/systemd/system ] && command -v systemctl >/dev/null; }
