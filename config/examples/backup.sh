#!/bin/sh
# Backs up the running chimed into a directory, and keeps the latest backups; for a timer, as in
# chimed-service(7). Further arguments are options of chimectl, such as --socket PATH.
set -eu
[ $# -ge 1 ] || {
  echo "usage: backup.sh DIRECTORY [COUNT [OPTION...]]" >&2
  exit 64
}
directory=$1
count=${2:-24}
[ $# -lt 2 ] || shift
shift
mkdir -p -m 700 "$directory"
# The file appears when it is complete. The names are in the order of time.
chimectl backup "$directory/chimed-$(date --utc +%Y%m%dT%H%M%S.%N)" "$@"
for file in "$directory"/chimed-*; do echo "$file"; done | head -n "-$count" |
  while IFS= read -r file; do rm -- "$file"; done
