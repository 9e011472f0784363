#!/usr/bin/env bash
# image.sh PROGRAMS
#
# Builds the OCI image twice from the programs in the directory PROGRAMS, and compares the results.
# Then runs the image with umoci and crun: with a read-only root, without capabilities, and as the
# image's user. Needs root.
set -euo pipefail

scripts=$(cd "$(dirname "$0")/.." && pwd)
project=$(cd "$scripts/../.." && pwd)
if [ "$1" != --alone ]; then
  directory=$(mktemp -d /var/tmp/chimed-image.XXXXXX)
  # Mounts, processes and the network end with the first process in these namespaces.
  unshare --mount --pid --net --fork --kill-child --mount-proc --propagation private \
    bash "$0" --alone "$directory" "$@" &
  trap 'kill -KILL $! 2>/dev/null && wait; rm -rf "$directory"' EXIT
  wait $!
  exit
fi

directory=$2 programs=$3
. "$scripts/Inside/common.sh"
cd "$directory"
ip link set lo up
# Mounts version 2 alone, because crun fails if both versions of control groups are mounted.
mount -t cgroup2 cgroup2 /sys/fs/cgroup

for name in image second; do
  make --directory "$project" image BIN="$programs" IMAGE="$directory/$name.tar" >log 2>&1 ||
    { cat log; exit 1; }
done
check "the image is reproducible" cmp image.tar second.tar
rm second.tar
mkdir layout state credentials received
tar --extract --file image.tar --directory layout
version=$(sed -n 's/.*current = "\(.*\)"/\1/p' "$project/Sources/Reminders/Version.swift")
umoci unpack --image "layout:$version" bundle >log 2>&1 || { cat log; exit 1; }
rootfs=bundle/rootfs
check "the image has no shell" [ ! -e $rootfs/bin/sh -a ! -e $rootfs/usr/bin/sh ]
check "the image trusts only the authorities of the Debian package, none of this machine" \
  [ "$(grep -c BEGIN $rootfs/etc/ssl/certs/ca-certificates.crt)" = \
    "$(ls /usr/share/ca-certificates/mozilla | wc -l)" ]

echo "whsec_$(head -c 32 /dev/urandom | base64)" >credentials/hook
# The state directory is like a volume that Kubernetes mounts for a group.
mkdir --mode=700 state/lost+found
chown 0:65532 state
chmod 2775 state
chown -R 65532:65532 credentials
chmod 400 credentials/hook
cat >chimed.yaml <<'YAML'
catalogs: [imanpath]
sinks:
  hook: {type: webhook, url: "http://127.0.0.1:8500/", secret: {credential: hook},
         allow: 127.0.0.0/8}
YAML
# Sets what a container runtime would set: a read-only root, no capabilities, and mounts for the
# state, the configuration and the secrets. The container uses the network of this script.
python3 -B - "$directory" <<'PYTHON'
import json
import sys

directory = sys.argv[1]
path = directory + "/bundle/config.json"
config = json.load(open(path))
config["root"]["readonly"] = True
config["process"]["terminal"] = False
config["process"]["capabilities"] = {}
config["linux"]["namespaces"] = [{"type": kind} for kind in ("pid", "ipc", "uts", "mount")]
config["mounts"] = [mount for mount in config["mounts"]
                    if mount["destination"] not in ("/sys/fs/cgroup", "/var/lib/chimed")]
for name, at, access in (("state", "/var/lib/chimed", "rw"),
                         ("credentials", "/etc/credstore", "ro"),
                         ("chimed.yaml", "/etc/chimed/chimed.yaml", "ro")):
    config["mounts"].append({"destination": at, "type": "bind", "source": f"{directory}/{name}",
                             "options": ["bind", access, "nosuid", "nodev", "noexec"]})
json.dump(config, open(path, "w"))
PYTHON

python3 -B "$scripts/Inside/receiver.py" credentials/hook "$directory/received/hook" &
touch received/hook log.jsonl
crun=(crun --cgroup-manager=disabled --root "$directory/crun")
client() { "${crun[@]}" exec --user 65532:65532 chimed /usr/bin/chimectl "$@"; }
crun_process=
start() {
  "${crun[@]}" run --bundle bundle --pid-file "$directory/pid" chimed >>log.jsonl 2>>errors &
  crun_process=$!
  succeeds_in_time answers 200 readyz || { cat log.jsonl errors; exit 1; }
}
succeeds_in_time() { # succeeds_in_time COMMAND...: repeats the command for up to 20 seconds
  for _ in {1..200}; do
    "$@" >/dev/null 2>&1 && return
    read -rt 0.1 <> <(:) || true
  done
  "$@"
}
answers() { # answers STATUS PATH [OPTIONS OF CURL]
  [ "$(curl --silent --output answer --write-out '%{http_code}' "${@:3}" \
    "http://127.0.0.1:7411/$2")" = "$1" ]
}
ends_with() { # ends_with STATUS: waits for the end of the container
  local status=0
  wait "$crun_process" || status=$?
  [ "$status" -eq "$1" ] || { echo "the container ended with $status"; return 1; }
}
began=$(now)
milestone() { # milestone ID RECIPIENT
  client event milestone.reached --id "$1" --recipient "$2" --time "$began" days=7
}
received() { # received COUNT: the receiver has deliveries to so many recipients
  [ "$(sort -u received/hook | wc -l)" -eq "$1" ]
}
process_is() { # process_is FILE PATTERN
  grep --extended-regexp --quiet "$2" "/proc/$(cat pid)/$1"
}

start
check "/healthz answers" answers 200 healthz
check "other paths need a token" answers 401 v1/status
authorization="Authorization: Bearer $(client token create app --scope admin 2>details)"
check "other paths are answered with a token" answers 200 v1/status --header "$authorization"
check "the service runs as the image's user" process_is status '^Uid:.65532.65532.65532.65532$'
check "it has no capabilities" process_is status '^CapEff:.0000000000000000$'
check "its root is read-only" process_is mounts '^[^ ]+ / [^ ]+ ro,'
check "an event is accepted" milestone e1 u1
check "its notification is delivered, signed with the secret" succeeds_in_time received 1

touch received/hook.held
check "another event is accepted" milestone e2 u2
check "its delivery is in flight" succeeds_in_time test -e received/hook.holding
kill -TERM "$(cat pid)"
check "the service begins to stop" succeeds_in_time grep --quiet '"message":"stopping"' log.jsonl
rm received/hook.held
check "SIGTERM ends the service with 0" ends_with 0
check "the delivery in flight was finished" received 2
check "the last entry of the log reports an orderly stop" \
  grep --quiet '"message":"stopped; all decisions are on disk"' <(tail -n 1 log.jsonl)

start
check "a repeated event is a duplicate after the restart" \
  grep --quiet duplicate <(milestone e1 u1 2>&1)
check "a token of the first run is valid" answers 200 v1/status --header "$authorization"
kill -KILL "$(cat pid)"
check "SIGKILL ends the service" ends_with 137
start
check "an event is accepted after SIGKILL" milestone e3 u3
check "its notification is delivered after SIGKILL" succeeds_in_time received 3
check "nothing was delivered twice" [ "$(sort received/hook | uniq --repeated | wc -l)" -eq 0 ]
kill -TERM "$(cat pid)"
check "SIGTERM ends the service with 0 again" ends_with 0
check "standard error is empty" [ ! -s errors ]
check "each line of the log is a JSON object with time, level and message" python3 -B -c '
import json, sys
for line in sys.stdin:
    entry = json.loads(line)
    assert entry["time"].endswith("Z") and entry["level"] and entry["message"], line
' <log.jsonl
[ "$failures" -eq 0 ] || { tail -n 30 log.jsonl errors; exit 1; }
