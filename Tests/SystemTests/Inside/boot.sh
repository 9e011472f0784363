#!/usr/bin/env bash
# boot.sh PROGRAMS SCRIPT
#
# Boots systemd in a container, which has the files of this machine and its own network. `make
# install` installs the programs of the directory PROGRAMS there. Then SCRIPT, a file of this
# directory, runs there as root. Prints the output of SCRIPT and exits with its status. Changes in
# the container are lost at its end. Needs root and systemd-nspawn.
set -euo pipefail

# The seconds for each of the two phases of restarts.sh, and the maximum for a whole script.
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
  directory=$(mktemp -d /var/tmp/chimed-boot.XXXXXX)
  mkdir "$directory/memory" "$directory/root"
  unshare --mount --pid --fork --kill-child --mount-proc --propagation private \
    bash "$0" --alone "$directory" "$@" &
  clean() {
    kill -KILL $! 2>/dev/null && wait
    rm -f "$directory/.#root.lck"
    rmdir "$directory"/* "$directory"
  }
  trap clean EXIT
  wait $!
  exit
fi

directory=$2 programs=$3 script=$4 root=$2/root

mount -t tmpfs -o mode=755 tmpfs "$directory/memory"
mkdir "$directory/memory/upper" "$directory/memory/work"
layers=lowerdir=/,upperdir=$directory/memory/upper,workdir=$directory/memory/work
mount -t overlay -o "$layers" overlay "$root"

make --directory "$project" install BIN="$programs" DESTDIR="$root" >"$directory/memory/log" 2>&1 ||
  { cat "$directory/memory/log" >&2; exit 1; }

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
  systemd.unit=inside.service </dev/null >"$directory/memory/log" 2>&1 || status=$?
if [ -s "$root/output" ]; then
  cat "$root/output"
else
  tail -n 50 "$directory/memory/log" >&2
fi
exit "$status"
