// SPDX-License-Identifier: Apache-2.0

import LogStoreTesting

/// The programs that `doctor`'s commands start, on a machine that is made of files: each changes the files as its manual
/// says that it changes the machine.
struct FakeTools {
  let machine: FakeMachine

  /// Runs a command of `doctor` in a shell of the person whose login it is; its status and what it said.
  func run(_ command: String) -> Outcome {
    machine.bench.shell(
      "export M='\(machine.root)' USER=person PATH='\(machine.bench.directory.path)/bin':$PATH; \(command)"
    )
  }

  /// Starts the machine anew.
  func startAnew() { _ = run("start-anew") }

  init(_ machine: FakeMachine) {
    self.machine = machine
    machine.shell("mkdir -p bin machine/etc machine/dev")
    for (name, text) in FakeTools.scripts {
      _ = machine.bench.directory.script("bin/" + name, "#!/bin/sh\n" + text)
    }
  }

  private static let scripts = [
    // The machine's paths are those below its root.
    "sudo": """
    for word; do
      shift
      case $word in /etc/*|/sys/*|/boot/*|/dev/*) word=$M$word; mkdir -p "${word%/*}";; esac
      set -- "$@" "$word"
    done
    exec "$@"
    """,
    // The kernel takes a chip from a driver when its name is written.
    "tee": """
    for file; do :; done
    /usr/bin/tee "$@" && case $file in
      */unbind) rm "$M/sys/bus/i2c/devices/$(cat "$file")/driver";;
    esac
    """,
    // i2c-dev makes a node for each adapter, for root alone.
    "modprobe": """
    [ "$1" = i2c-dev ] || exit 1
    echo 'i2c_dev 16384 0 - Live 0x0' > "$M/proc/modules"
    for adapter in "$M"/sys/bus/i2c/devices/i2c-*; do
      [ -e "$adapter" ] || continue
      mkdir -p "$M/sys/class/i2c-dev" && cp -r "$adapter" "$M/sys/class/i2c-dev"
      : > "$M/dev/${adapter##*/}" && chmod 600 "$M/dev/${adapter##*/}"
    done
    udevadm trigger --subsystem-match=i2c-dev
    """,
    // Changes each line, or adds one at the end; the bus is on at once.
    "raspi-config": """
    [ "$*" = 'nonint do_i2c 0' ] || exit 1
    boot="$M/boot/firmware/config.txt"
    mkdir -p "${boot%/*}" && touch "$boot" "$M/etc/modules"
    sed -i 's/^#* *dtparam=i2c_arm=.*/dtparam=i2c_arm=on/' "$boot"
    grep -q '^dtparam=i2c_arm=on' "$boot" || echo dtparam=i2c_arm=on >> "$boot"
    grep -q '^i2c-dev' "$M/etc/modules" || echo i2c-dev >> "$M/etc/modules"
    mkdir -p "$M/sys/bus/i2c/devices/i2c-1"
    echo 'bcm2835 (i2c@7e804000)' > "$M/sys/bus/i2c/devices/i2c-1/name"
    modprobe i2c-dev
    """,
    // The firmware of a Raspberry Pi 4, the modules, and udev.
    "start-anew": """
    rm -rf "$M/sys/class/i2c-dev" "$M"/dev/i2c-* "$M/proc/modules"
    for boot in "$M/boot/firmware/config.txt" "$M/boot/config.txt"; do
      [ -e "$boot" ] || continue
      rm -rf "$M/sys/bus/i2c/devices/i2c-1"
      awk '/^\\[/ { on = /all|pi4/ ? 1 : 0 } BEGIN { on = 1 } on && /^dtparam=i2c_arm=on/ { yes = 1 } END { exit !yes }' \\
        "$boot" || continue
      mkdir -p "$M/sys/bus/i2c/devices/i2c-1"
      echo 'bcm2835 (i2c@7e804000)' > "$M/sys/bus/i2c/devices/i2c-1/name"
    done
    chown 0:0 "$M"/dev/* 2> /dev/null; chmod 600 "$M"/dev/* 2> /dev/null
    grep -qsx i2c-dev "$M/etc/modules" "$M"/etc/modules-load.d/*.conf && modprobe i2c-dev
    udevadm trigger --subsystem-match=i2c-dev --subsystem-match=gpio --subsystem-match=misc
    """,
    // Rules in the order of their files' names, of which those in /etc hide others; a group without a mode has 0660.
    "udevadm": """
    [ "$1" = trigger ] || exit 0
    rules() {
      ls "$M"/etc/udev/rules.d/*.rules "$M"/usr/lib/udev/rules.d/*.rules 2> /dev/null |
        awk -F/ '!seen[$NF]++ { print $NF, $0 }' | LC_ALL=C sort | cut -d' ' -f2- | xargs -r cat
    }
    field() { echo "$rule" | sed -n "s/.*$1==*\\"\\([^\\"]*\\)\\".*/\\1/p"; }
    for node in "$M"/dev/*; do
      name=${node##*/}
      case $name in i2c-*) kind=i2c-dev;; gpiochip*) kind=gpio;; *) kind=misc;; esac
      case "$*" in *subsystem-match=$kind*) ;; *) continue;; esac
      rules | while read -r rule; do
        of=$(field SUBSYSTEM) names=$(field KERNEL)
        case $rule in '#'*) continue;; esac
        case $of in ''|$kind) ;; *) continue;; esac
        case $name in ${names:-*}) ;; *) continue;; esac
        group=$(awk -F: -v name="$(field GROUP)" '$1 == name { print $3 }' "$M/etc/group")
        [ -n "$group" ] || continue
        mode=$(field MODE)
        chgrp "$group" "$node" && chmod "${mode:-660}" "$node"
      done
    done
    """,
    "groupadd": """
    [ "$1" = --system ] || exit 2
    grep -qs "^$2:" "$M/etc/group" && exit 9
    echo "$2:x:$((900 + $(cat "$M/etc/group" 2> /dev/null | wc -l))):" >> "$M/etc/group"
    """,
    "usermod": """
    [ "$1" = -aG ] && grep -q "^$2:" "$M/etc/group" && grep -q "^$3:" "$M/etc/passwd" || exit 6
    sed -i "/^$2:/s/$/,$3/; s/:,/:/" "$M/etc/group"
    """,
    "systemd-sysusers": """
    cat "$M/usr/lib/sysusers.d/$1" | while read -r kind name rest; do
      case $kind in
        g|u) groupadd --system "$name";;
        m) usermod -aG "$rest" "$name";;
      esac
      [ "$kind" != u ] ||
        awk -F: -v name="$name" '$1 == name { print name ":x:" $3 ":" $3 "::/:/bin/false" }' \\
          "$M/etc/group" >> "$M/etc/passwd"
    done
    """,
    "chown": """
    case $1 in
      -R)
        user=$(awk -F: -v name="${2%:*}" '$1 == name { print $3 }' "$M/etc/passwd")
        group=$(awk -F: -v name="${2#*:}" '$1 == name { print $3 }' "$M/etc/group")
        shift 2; set -- -R "$user:$group" "$@";;
    esac
    exec /bin/chown "$@"
    """,
    // A time service has its unit in a list, and steers the clock from now on.
    "timedatectl": """
    [ "$*" = 'set-ntp true' ] && ls "$M"/usr/lib/systemd/ntp-units.d/*.list || exit 1
    mkdir -p "$M/run/systemd/timesync" && : > "$M/run/systemd/timesync/synchronized"
    """,
    "apt": """
    [ "$*" = 'install systemd-timesyncd' ] || exit 1
    mkdir -p "$M/usr/lib/systemd/ntp-units.d"
    : > "$M/usr/lib/systemd/ntp-units.d/80-systemd-timesync.list"
    timedatectl set-ntp true
    """,
    "hwclock": """
    [ "$1 $2" = '--systohc --rtc' ] && date +%s > "$M/sys/class/rtc/${3##*/}/since_epoch"
    """,
    // The new shell has the groups of a new login.
    "newgrp": "grep -q \"^$1:\" \"$M/etc/group\"\n",
    // What systemd is asked for; who edits a drop-in writes what the sentence says.
    "systemctl": """
    echo "$*" >> "$M/../systemctl"
    [ "$1" = edit ] || exit 0
    mkdir -p "$M/etc/systemd/system/$2.service.d"
    printf '[Service]\\nReadWritePaths=%s\\n' "$IMULOG_STORE" > "$M/etc/systemd/system/$2.service.d/override.conf"
    """,
  ]
}
