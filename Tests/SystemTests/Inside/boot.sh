#!/usr/bin/env bash
# boot.sh PROGRAMS SCRIPT
#
# Boots systemd in a container with the files of this machine and its own network. The project is
# installed there by `make install` from the programs in the directory PROGRAMS. Then SCRIPT, of
# this directory, runs there as root. Prints the output of SCRIPT and exits with its status. No
# change inside persists. Needs root and systemd-nspawn.
set -euo pipefail

# The seconds for each of the two parts of restarts.sh, and the limit for a whole script.
seconds=${CHIMED_SECONDS:-5}
limit=$((130 + 2 * seconds))
scripts=$(cd "$(dirname "$0")" && pwd)
project=$(cd "$scripts/../../.." && pwd)

# `make install` would create missing programs by a release build.
if [ "$1" != --alone ]; then
  [ -x "$1/chimed" ] ||
    { echo "error: there is no chimed in $1: build it, with swift build" >&2; exit 1; }
  [ -x "$1/chimectl" ] || ln --symbolic --force chimed "$1/chimectl"
fi

# The first call creates namespaces and repeats itself in them. Their mounts and processes end with
# the first process in them, whatever ends that process.
if [ "$1" != --alone ]; then
  place=$(mktemp -d /var/tmp/chimed-boot.XXXXXX)
  mkdir "$place/memory" "$place/root"
  unshare --mount --pid --fork --kill-child --mount-proc --propagation private \
    bash "$0" --alone "$place" "$@" &
  clean() {
    kill -KILL $! 2>/dev/null && wait
    rm -f "$place/.#root.lck"
    rmdir "$place"/* "$place"
  }
  trap clean EXIT
  wait $!
  exit
fi

place=$2 programs=$3 script=$4 root=$2/root

mount -t tmpfs -o mode=755 tmpfs "$place/memory"
mkdir "$place/memory/upper" "$place/memory/work"
layers=lowerdir=/,upperdir=$place/memory/upper,workdir=$place/memory/work
mount -t overlay -o "$layers" overlay "$root"

make --directory "$project" install BIN="$programs" DESTDIR="$root" >"$place/memory/log" 2>&1 ||
  { cat "$place/memory/log" >&2; exit 1; }

# A debug build needs Swift's libraries. They are copied from their directory, because the unit
# forbids the execution of files there.
mkdir "$root/usr/lib/chimed-swift" "$root/etc/systemd/system/chimed.service.d"
ldd "$programs/chimed" | awk '$3 ~ "^/" { print $3 }' | sort -u |
  while read -r library; do
    case $library in
      /usr/* | /lib*) ;;
      *) cp "$library" "$root/usr/lib/chimed-swift" ;;
    esac
  done
cat >"$root/etc/systemd/system/chimed.service.d/libraries.conf" <<'UNIT'
[Service]
Environment=LD_LIBRARY_PATH=/usr/lib/chimed-swift
UNIT

cp -r "$scripts" "$root/inside"
cat >"$root/etc/systemd/system/inside.service" <<UNIT
[Unit]
SuccessAction=exit-force
FailureAction=exit-force

[Service]
Type=oneshot
Environment=LD_LIBRARY_PATH=/usr/lib/chimed-swift CHIMED_SECONDS=$seconds
ExecStart=/bin/bash /inside/$script
StandardOutput=truncate:/output
StandardError=inherit
UNIT
systemd-id128 new >"$root/etc/machine-id"
rm -rf "$root/var/log/journal"

status=0
SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 timeout --signal=KILL "$limit" systemd-nspawn --quiet \
  --directory="$root" --boot --keep-unit --register=no --private-network \
  systemd.unit=inside.service </dev/null >"$place/memory/log" 2>&1 || status=$?
if [ -s "$root/output" ]; then
  cat "$root/output"
else
  tail -n 50 "$place/memory/log" >&2
fi
exit "$status"
