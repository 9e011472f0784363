#!/bin/sh
# Saves a backup of the running chimed in DIRECTORY, and keeps the latest COUNT backups, 24 by
# default. Run it by a timer, as in chimed-service(7). Each OPTION is passed to chimectl, such as
# --socket PATH. Other files in the directory are not removed.
set -eu
usage() {
  echo "usage: backup.sh DIRECTORY [COUNT [OPTION...]]; COUNT is at least 1" >&2
  exit 64
}
[ $# -ge 1 ] || usage
directory=$1
count=${2:-24}
case $count in *[!0-9]* | 0*) usage ;; esac
[ $# -lt 2 ] || shift
shift
mkdir -p -m 700 "$directory"
# A backup that was killed has left an incomplete file.
rm -f -- "$directory"/chimed-????????T??????.?????????.partial
# chimectl gives the file its name when it is complete. The names sort in the order of time.
chimectl backup "$directory/chimed-$(date --utc +%Y%m%dT%H%M%S.%N)" "$@"
set -- "$directory"/chimed-????????T??????.?????????
while [ $# -gt "$count" ]; do
  rm -- "$1"
  shift
done
