# SPDX-License-Identifier: Apache-2.0
# Sourced by run and soak: steps, lanes of steps beside each other, and the table at the end.
#
# A step is a function. Its output comes in one piece when it has ended, so that lanes do not mix. The first step that fails
# ends the run, and its name is the last line. .ci/figures has each step's processor seconds as they were last kept, and its
# budget; a step over its budget fails by name. Lanes beside a step do not change its processor seconds. Budgets grow with the
# machine's pace: what a fixed computation takes now over what it took there.

fail() {
  echo "ci: $*" >&2
  exit 1
}

# step NAME FUNCTION [ARGUMENT]...: runs FUNCTION in a process of its own, and keeps how it ended and how long it took.
step() {
  local name=$1 folder start=$EPOCHREALTIME status=0; shift
  # Short, because paths of sockets are.
  folder=$(mktemp -d "$scratch/steps/XXXX")
  # Tests that are another user come to their files.
  chmod 755 "$folder"
  mkdir "$folder/t"
  echo "$name" >"$folder/name"
  echo "$start" >"$folder/started"
  (
    scratch=$folder/t TIMEFORMAT='%U %S'
    export TMPDIR=$scratch
    { time "$@" >"$folder/output" 2>&1; } 2>"$folder/processor"
  ) &
  wait $! || status=$?
  mv "$folder/t/skipped" "$folder" 2>/dev/null || true
  rm -rf "$folder/t"
  awk -v from="$start" -v to="$EPOCHREALTIME" 'BEGIN { printf "%.0f\n", to - from }' >"$folder/seconds"
  # One lane prints at a time.
  {
    flock 9
    printf '\n== %s\n' "$name"
    cat "$folder/output"
    printf '== %s in %d s\n' "$([ "$status" = 0 ] && echo done || echo "FAILED, status $status,")" "$(<"$folder/seconds")"
  } 9>>"$scratch/printing"
  [ "$status" = 0 ] || { echo "$name" >>"$scratch/failed"; exit 1; }
  touch "$folder/ended"
}

# lanes FUNCTION...: runs functions of steps beside each other; the first that fails ends the others.
lanes() {
  local lane pids=() pid status=0
  set -m
  for lane; do
    # Each lane has a process group of its own, with all that its steps start.
    (set +m; "$lane") &
    pids+=($!)
  done
  set +m
  for lane; do wait -n || { status=$?; break; }; done
  [ "$status" = 0 ] || {
    for pid in "${pids[@]}"; do kill -TERM -- "-$pid" 2>/dev/null || true; done
    wait || true
    exit 1
  }
}

# after NAME: waits until the step of another lane has ended; one that fails ends this lane, too.
after() {
  local folder
  while sleep 1; do
    for folder in "$scratch"/steps/*; do
      [ ! -f "$folder/ended" ] || [ "$(<"$folder/name")" != "$1" ] || return 0
    done
  done
}

# skip WHY: what could not run here, and is no failure; it is repeated at the end.
skip() {
  echo "SKIPPED: $*"
  echo "$*" >"$scratch/skipped"
}

# A bench that cannot run here, for want of QEMU, a browser or a network, ends with status 77.
run_if_possible() {
  local status=0
  "$@" 2>&1 | tee "$scratch/summary" || status=$?
  case $status in
    0) ;;
    77) skip "$(tail -n 1 "$scratch/summary")" ;;
    *) fail "$* ended with status $status" ;;
  esac
}

# Seconds for a fixed computation; the figures' machine needs 1.00.
pace() {
  python3 - <<'PYTHON'
import time
best = 9.0
for _ in range(3):
    start, total = time.perf_counter(), 0
    for number in range(4_000_000):
        total += number * number % 7
    best = min(best, time.perf_counter() - start)
print("%.2f" % (best / 0.40))
PYTHON
}

# The table: step, seconds, processor seconds, those of the last figure, budget. Fails when a step is over its budget.
print_table() {
  python3 - "$scratch/steps" "$here/figures" "$1" "$2" "$3" <<'PYTHON'
import os, sys
steps, figures, pace, total, whole = sys.argv[1], sys.argv[2], max(1.0, float(sys.argv[3])), int(sys.argv[4]), sys.argv[5] == "whole"
kept = {}
for line in open(figures):
    if line.strip() and not line.startswith("#"):
        seconds, budget, name = line.split(None, 2)
        kept[name.strip()] = int(seconds), int(budget)
over, names = [], set()
print("\n%-58s %6s %6s %6s %7s %6s" % ("step", "s", "cpu s", "last", "grew", "budget"))
def read(folder, name):
    try:
        return open(os.path.join(steps, folder, name)).read().strip()
    except OSError:
        return ""
for folder in sorted(os.listdir(steps), key=lambda folder: read(folder, "started")):
    name, seconds = read(folder, "name"), int(read(folder, "seconds") or 0)
    processor = sum(float(word) for word in read(folder, "processor").split()[-2:] or ["0"])
    names.add(name)
    last, budget = kept.get(name, (None, None))
    grew = "new" if last is None else "%+.0f %%" % (100 * (processor / last - 1)) if last > 4 else ""
    print("%-58s %6d %6.0f %6s %7s %6s%s" % (
        name, seconds, processor, "" if last is None else last, grew, "" if budget is None else budget,
        "  SKIPPED" if read(folder, "skipped") else ""))
    if budget is None:
        over.append("%s has no budget in .ci/figures" % name)
    elif processor > budget * pace:
        over.append("%s took %d processor seconds, over its budget of %d at pace %.2f" % (name, processor, budget, pace))
last, budget = kept["all"] if whole else (None, None)
print("%-58s %6d %6s %6s %7s %6s" % ("all", total, "", last or "", "%+.0f %%" % (100 * (total / last - 1)) if last else "", budget or ""))
print("pace %.2f of the figures' machine (budgets are times that)" % pace)
if whole and total > budget * pace:
    over.append("all steps took %d s, over the budget of %d s at pace %.2f" % (total, budget, pace))
for sentence in over:
    print("ci: " + sentence, file=sys.stderr)
sys.exit(1 if over else 0)
PYTHON
}
