#!/bin/sh
# A sink of type exec: keeps each delivery as a file, under its id and channel, in the directory $1.
[ -d "$1" ] || exit 75                      # not now; it is tried again
part=$(mktemp "$1/.part-XXXXXX") || exit 75
cat > "$part" || exit 75                    # standard input is the delivery as JSON
mv "$part" "$1/$CHIMED_DELIVERY.json"       # the same again is the same file: nothing twice
