#!/usr/bin/env bash
# install-package.sh PACKAGE
#
# Installs the Debian package in a bare Debian 12 made by debootstrap, boots that, and checks the
# start, a delivery, an upgrade without loss, a newer tz database and the purge. Needs root,
# debootstrap, systemd-nspawn and a Debian mirror.
set -euo pipefail

limit=300
package=$(realpath "$1")
scripts=$(cd "$(dirname "$0")/Inside" && pwd)

if [ "${2-}" != --alone ]; then
  place=$(mktemp -d /var/tmp/chimed-package.XXXXXX)
  unshare --mount --pid --fork --kill-child --mount-proc --propagation private \
    bash "$0" "$package" --alone "$place" &
  trap 'kill -KILL $! 2>/dev/null && wait; rm -rf "$place"' EXIT
  wait $!
  exit
fi

place=$3 root=$3/root
# The base is kept because it takes a minute to make.
base=$(dirname "$package")/../bookworm.tar
if [ ! -e "$base" ]; then
  debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus bookworm "$place/base" \
    >"$place/log" 2>&1 || { tail -n 20 "$place/log" >&2; exit 1; }
  rm -rf "$place/base"/var/cache/apt/archives/*.deb
  tar --create --file "$base" --directory "$place/base" .
fi
mkdir -p "$root"
tar --extract --file "$base" --directory "$root"

mkdir "$root/packages"
cp "$package" "$root/packages/chimed.deb"
# The same package as an earlier and as a later version, each with other defaults in its
# configuration.
dpkg-deb --raw-extract "$package" "$place/other"
cp "$place/other/DEBIAN/control" "$place/control"
for version in '~before' '+next'; do
  sed "s/^Version: .*/&$version/" "$place/control" >"$place/other/DEBIAN/control"
  echo "# Of the version $version" >>"$place/other/etc/chimed/chimed.yaml"
  dpkg-deb -Znone --root-owner-group --build "$place/other" \
    "$root/packages/${version#?}.deb" >/dev/null
done
rm -r "$place/other"

# The root's own apt fetches the dependencies, and the oldest and newest tzdata of the mirror.
cp /etc/resolv.conf "$root/etc/resolv.conf"
mirror=$(awk '$1 == "deb" { print $2; exit }' "$root/etc/apt/sources.list")
mirror=${mirror%/} mirror=${mirror%/debian}
for suite in debian:bookworm-updates debian-security:bookworm-security; do
  echo "deb $mirror/${suite%%:*} ${suite#*:} main"
done >"$root/etc/apt/sources.list.d/updates.list"
mount -t proc proc "$root/proc"
inside() { env DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"; }
logged() { "$@" >"$place/log" 2>&1 || { cat "$place/log" >&2; exit 1; }; }
logged inside apt-get --quiet=2 update
logged inside apt-get --quiet=2 --yes --no-install-recommends install curl /packages/before.deb
versions=$(inside apt-cache madison tzdata | awk '{ print $3 }' | sort --version-sort)
oldest=$(head -n 1 <<<"$versions") newest=$(tail -n 1 <<<"$versions")
for version in "$oldest" "$newest"; do
  logged inside sh -c "cd /packages && apt-get --quiet=2 download tzdata=$version"
done
logged inside sh -c "dpkg --install /packages/tzdata_${oldest}_*.deb"

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
  </dev/null >"$place/log" 2>&1 || status=$?
[ -s "$root/output" ] && cat "$root/output" || tail -n 50 "$place/log" >&2
exit "$status"
