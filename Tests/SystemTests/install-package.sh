#!/usr/bin/env bash
# install-package.sh PACKAGE
#
# Installs the Debian package in a bare Debian 12 that debootstrap makes, boots that, and looks
# whether it starts, delivers, is upgraded with nothing lost, and is purged clean. Needs root,
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
base=$(dirname "$package")/bookworm.tar
if [ ! -e "$base" ]; then
  debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus bookworm "$place/base" \
    >"$place/log" 2>&1 || { tail -n 20 "$place/log" >&2; exit 1; }
  rm -rf "$place/base"/var/cache/apt/archives/*.deb
  tar --create --file "$base" --directory "$place/base" .
fi
mkdir -p "$root"
tar --extract --file "$base" --directory "$root"

# What the package needs is fetched by the root's own apt.
mkdir "$root/packages"
cp "$package" "$root/packages/chimed.deb"
# The same once more as a later version, to be upgraded to.
dpkg-deb --raw-extract "$package" "$place/next"
sed -i 's/^Version: .*/&+next/' "$place/next/DEBIAN/control"
dpkg-deb --root-owner-group --build "$place/next" "$root/packages/next.deb" >/dev/null
cp /etc/resolv.conf "$root/etc/resolv.conf"
mount -t proc proc "$root/proc"
chroot "$root" apt-get --quiet=2 update
env DEBIAN_FRONTEND=noninteractive chroot "$root" apt-get --quiet=2 --yes \
  --no-install-recommends install curl /packages/chimed.deb >"$place/log" 2>&1 ||
  { cat "$place/log" >&2; exit 1; }

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
