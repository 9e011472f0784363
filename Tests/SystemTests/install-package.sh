#!/usr/bin/env bash
# install-package.sh PACKAGE
#
# Installs the Debian package in a bare Debian 12 made by debootstrap, boots it, and runs
# Inside/package.sh there. Prints the output of that script and exits with its status. Needs root,
# debootstrap, systemd-nspawn and a Debian mirror.
set -euo pipefail

limit=300
package=$(realpath "$1")
scripts=$(cd "$(dirname "$0")/Inside" && pwd)

# The first call creates namespaces and repeats itself in them. Their mounts and processes end with
# the first process in them.
if [ "${2-}" != --alone ]; then
  directory=$(mktemp -d /var/tmp/chimed-package.XXXXXX)
  unshare --mount --pid --fork --kill-child --mount-proc --propagation private \
    bash "$0" "$package" --alone "$directory" &
  trap 'kill -KILL $! 2>/dev/null && wait; rm -rf "$directory"' EXIT
  wait $!
  exit
fi

directory=$3 root=$3/root
# The base system is kept for the next run, because its creation takes a minute.
base=$(dirname "$package")/../bookworm.tar
if [ ! -e "$base" ]; then
  debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus bookworm "$directory/base" \
    >"$directory/log" 2>&1 || { tail -n 20 "$directory/log" >&2; exit 1; }
  rm -rf "$directory/base"/var/cache/apt/archives/*.deb
  tar --create --file "$base" --directory "$directory/base" .
fi
mkdir -p "$root"
tar --extract --file "$base" --directory "$root"

mkdir "$root/packages"
cp "$package" "$root/packages/chimed.deb"
# Builds packages of an earlier and a later version, before.deb and next.deb. They are copies of the
# package with additional lines in the configuration file.
dpkg-deb --raw-extract "$package" "$directory/other"
cp "$directory/other/DEBIAN/control" "$directory/control"
for version in '~before' '+next'; do
  sed "s/^Version: .*/&$version/" "$directory/control" >"$directory/other/DEBIAN/control"
  echo "# Of the version $version" >>"$directory/other/etc/chimed/chimed.yaml"
  dpkg-deb -Znone --root-owner-group --build "$directory/other" \
    "$root/packages/${version#?}.deb" >/dev/null
done
rm -r "$directory/other"

# apt inside the new root fetches the dependencies, and the oldest and newest tzdata of the mirror.
cp /etc/resolv.conf "$root/etc/resolv.conf"
mirror=$(awk '$1 == "deb" { print $2; exit }' "$root/etc/apt/sources.list")
mirror=${mirror%/} mirror=${mirror%/debian}
for suite in debian:bookworm-updates debian-security:bookworm-security; do
  echo "deb $mirror/${suite%%:*} ${suite#*:} main"
done >"$root/etc/apt/sources.list.d/updates.list"
mount -t proc proc "$root/proc"
inside() { env DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"; }
run_quietly() { "$@" >"$directory/log" 2>&1 || { cat "$directory/log" >&2; exit 1; }; }
run_quietly inside apt-get --quiet=2 update
run_quietly inside apt-get --quiet=2 --yes --no-install-recommends install curl /packages/before.deb
versions=$(inside apt-cache madison tzdata | awk '{ print $3 }' | sort --version-sort)
oldest=$(head -n 1 <<<"$versions") newest=$(tail -n 1 <<<"$versions")
for version in "$oldest" "$newest"; do
  run_quietly inside sh -c "cd /packages && apt-get --quiet=2 download tzdata=$version"
done
run_quietly inside sh -c "dpkg --install /packages/tzdata_${oldest}_*.deb"

umount "$root/proc"
cp -r "$scripts" "$root/inside"
cat >"$root/etc/systemd/system/inside.service" <<'UNIT'
[Unit]
After=multi-user.target chimed.service
SuccessAction=exit-force
FailureAction=exit-force

[Service]
Type=oneshot
ExecStart=/bin/bash /inside/package.sh
StandardOutput=truncate:/output
StandardError=inherit

[Install]
WantedBy=multi-user.target
UNIT
chroot "$root" systemctl --quiet enable inside.service

status=0
SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 timeout --signal=KILL "$limit" systemd-nspawn --quiet \
  --directory="$root" --boot --keep-unit --register=no --private-network \
  </dev/null >"$directory/log" 2>&1 || status=$?
[ -s "$root/output" ] && cat "$root/output" || tail -n 50 "$directory/log" >&2
exit "$status"
