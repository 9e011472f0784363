#!/bin/sh
# A sink of type exec: stores each delivery in the directory $1, in a file named by id and channel.
[ -d "$1" ] || exit 75                      # temporary failure: the delivery is retried
part=$(mktemp "$1/.part-XXXXXX") || exit 75
cat > "$part" || exit 75                    # standard input is the delivery as JSON
mv "$part" "$1/$CHIMED_DELIVERY.json"       # a repeated delivery replaces its file
