#!/usr/bin/env bash
# Runs the installed service under the systemd of a container and says of each thing it is to do
# whether it does.
source /inside/common.sh

# The watchdog is to bite soon, and the end to be seen in the journal, as systemd forgets what it
# knows of a service that has ended well. All else is as it is shipped.
mkdir -p /run/systemd/system/chimed.service.d
cat >/run/systemd/system/chimed.service.d/inside.conf <<'UNIT'
[Service]
LoadCredential=canary:/etc/credstore/canary
WatchdogSec=3s
ExecStopPost=/usr/bin/echo It ended with ${SERVICE_RESULT}: ${EXIT_CODE} ${EXIT_STATUS}
UNIT
systemctl daemon-reload
check "systemd finds no fault with the unit" systemd-analyze verify chimed.service
check "nor with the socket's" systemd-analyze verify chimed.socket
check "nor with that for failures" systemd-analyze verify chimed-failure@chimed.service
install_service
exposure() { systemd-analyze security --no-pager chimed.service | tail -n 1; }
echo "#   $(exposure)"
is_exposed_little() { systemd-analyze security --threshold=12 --no-pager chimed >/dev/null; }
check "is exposed no more than 1.2 by systemd's count" is_exposed_little

install_canary() { install -m 600 <(echo canary-4711) /etc/credstore/canary; }
check "has a place for secrets" install_canary

echo "# Start"
check "starts" systemctl start chimed
check "answers as soon as it is started" chimectl status
check "is active" is ActiveState active
check "tells systemd itself that it is ready" is Type notify
check "runs as its own user" \
  [ "$(stat --format %U "/proc/$(property MainPID)")" = chimed ]
check "says that it has started" has_entries 1 "$started"

echo "# Events and deliveries"
first=$(now)
check "takes an event in" milestone m1 u1 "$first"
check "delivers into the journal" reaches u1 Sabr
check "is found in the journal by the recipient" \
  grep -qE '"CHIME_REMINDER" ?: ?"milestone-7"' <<<"$(entries 1 json CHIME_RECIPIENT=u1)"
explained=$(journalctl --catalog --output short CHIME_RECIPIENT=u1 "$delivered")
check "is explained by the message catalog" \
  grep -q "Subject: milestone-7 goes out to u1" <<<"$explained"
check "explains no field that is not there" [ "${explained/@CHIME_/}" = "$explained" ]
check "tells systemd what is pending and next" \
  says_in_time StatusText '^2 pending; next [a-z-]+-reminder for 1 recipient at 20[0-9T:.-]+Z$'

echo "# A service that hangs"
before=$(pending u1)
second=$(now)
milestone m2 u2 "$second"
kill -STOP "$(property MainPID)"
check "is started again" has_entries 2 "$started"
check "because of the watchdog" \
  has_entries 1 _SYSTEMD_UNIT=chimed.service "MESSAGE=It ended with watchdog: killed ABRT"
check "was started again once" is NRestarts 1
check "is active again" says_in_time ActiveState '^active$'
check "delivers what was due meanwhile, once" reaches u2 Sabr
check "has pending what was pending" diff <(pending u1) <(echo "$before")
check "still knows the first event" grep -q duplicate <<<"$(milestone m1 u1 "$first" 2>&1)"
check "still knows the last event" grep -q duplicate <<<"$(milestone m2 u2 "$second" 2>&1)"

# For each row of the watchdog's ledger that a restart is to cure.
hangs() { # hangs THREAD PART
  local soon due held told=0 number=$((restarts + 1))
  due=$(($(date +%s%3N) + 2000))
  printf -v soon %d.%03d $((due / 1000)) $((due % 1000))
  soon=$(date --utc --date "@$soon" +%FT%T.%3NZ)
  milestone "h$number" "h$number" "$soon"
  before=$(pending u1)
  coproc python3 /inside/hold-thread.py "$(property MainPID)" "$1"
  local holder=$COPROC_PID
  read -r answer <&"${COPROC[0]}"
  held=$(date +%s%3N)
  check "has a thread stopped: $2" [ "$answer" = held ]
  check "says half-way that a restart will follow" \
    grep -q "^$2.* has made no progress for .* the service is restarted$" \
    <(entries $((number - 1)) cat "$slow_part" | tail -n 1)
  check "says that it asks for one" \
    grep -q "^$2.* the service manager is asked" \
    <(entries $((number - 1)) cat "$stalled_part" | tail -n 1)
  # Who has nothing to do stands still without harm, and is late from its next duty on.
  [ "$1" != engine ] || held=$((due > held ? due : held))
  told=$(($(date +%s%3N) - held))
  echo "#   asked for after $told ms, where WatchdogSec= is 3 s"
  check "asks in time" [ $told -lt 6000 ]
  check "is started once more" has_entries $((number + 1)) "$started"
  restarts=$number
  check "was started again once for it" is NRestarts $restarts
  check "is active then" says_in_time ActiveState '^active$'
  check "has pending what was pending before" diff <(pending u1) <(echo "$before")
  check "delivers what was due meanwhile, once" reaches "h$number" Sabr
  wait "$holder"
}
slow_part=MESSAGE_ID=19c43b24cd3845e0961f04e154e154be
stalled_part=MESSAGE_ID=e9ebcd94283d44809a5efe932f30fbf0
restarts=1
echo "# The engine hangs"
hangs engine engine
echo "# A thread that serves clients hangs"
hangs 'NIO-SGLTN-*' 'http thread [0-9]'

echo "# Reload"
mkdir -p /etc/chimed/catalogs
catalog=/etc/chimed/catalogs/imanpath.yaml
sed 's/urgency: high/urgency: shrill/' /usr/share/chimed/catalogs/imanpath.yaml >"$catalog"
fails_to_reload() { ! systemctl reload chimed; }
check "fails to reload an unsound catalog" fails_to_reload
check "shows in its status why" says StatusText "^the last reload was rejected: $catalog:[0-9]+"
check "says where the catalog is unsound" \
  grep -qE "$catalog:[0-9]+:[0-9]+: " <<<"$(entries 1 cat "$rejected")"
milestone m3 u3 "$(now)"
check "goes on with the old catalog" reaches u3 Sabr
sed 's/name: Sabr/name: Patience/' /usr/share/chimed/catalogs/imanpath.yaml >"$catalog"
check "reloads a sound catalog" systemctl reload chimed
check "shows no more of the other" says_in_time StatusText '^[0-9]+ pending'
check "says that it has taken it" has_entries 1 "$reloaded"
milestone m4 u4 "$(now)"
check "goes by the new catalog" reaches u4 Patience
check "is active all the while" is ActiveState active
check "was not started again for that" is NRestarts $restarts
rm "$catalog"

echo "# Log level"
check "is told to write warnings alone" chimectl log-level warning
milestone m5 u5 "$(now)"
check "still delivers into the journal" reaches u5 Patience
check "does not tell of it otherwise" has_no_entries CHIME_RECIPIENT=u5 "$delivered"
check "has its own level back after a reload" systemctl reload chimed
check "namely info" [ "$(chimectl log-level)" = info ]

echo "# Stop"
check "stops" systemctl stop chimed
check "ends by itself and well" \
  has_entries 1 _SYSTEMD_UNIT=chimed.service "MESSAGE=It ended with success: exited 0"
check "says that it has stopped" has_entries 1 "$stopped"
check "leaves its sockets to the manager" is_of chimed.socket ActiveState active
check "is started by who connects" chimectl status
check "is active once more" is ActiveState active
check "stops again" systemctl stop chimed

echo "# Secrets"
check "starts with a credential" systemctl start chimed
main=/proc/$(property MainPID)
check "has it from the manager" grep -qz '^CREDENTIALS_DIRECTORY=' "$main/environ"
has_no_canary() { ! grep -rqs canary-4711 "$@"; }
check "does not have it in its environment" has_no_canary "$main/environ"
check "does not have it in its arguments" has_no_canary "$main/cmdline"
check "has not told it to the journal" has_no_canary <(journalctl --output export)
check "does not have it in its state" has_no_canary /var/lib/chimed
check "leaves no core behind" grep -qE '^Max core file size +0 +0 ' "$main/limits"
systemctl stop chimed 2>/dev/null

echo "# State that it must not use"
# So many starts in so short a time are for this script alone.
systemctl reset-failed chimed
state=/var/lib/chimed
mv $state/chimed.sqlite $state/kept
echo "This is a diary." >$state/chimed.sqlite
check "does not start with a damaged store" fails_to_start
check "exits with 65" is ExecMainStatus 65
check "is not started again and again for it" is SubState failed
check "was not started again for it" is NRestarts 0
check "is told of as failed for good" \
  has_entries 1 MESSAGE_ID=e6588f47150c4fc48f35121e3e60fe33
check "left the store as it was" grep -qx "This is a diary." $state/chimed.sqlite
mv $state/kept $state/chimed.sqlite

exec 9>>$state/lock
flock 9
systemctl reset-failed chimed
check "does not start on a state directory that is in use" fails_to_start
check "exits with 75" is ExecMainStatus 75
check "is not started again and again for that" is SubState failed
check "was not started again for that" is NRestarts 0
check "says what is wrong" has_entries 1 "$in_use"
# By then its sockets are closed; a start that came in between would be stopped with them.
check "is told of as failed for good too" has_entries 2 "$gave_up"
exec 9>&-

check "starts when all is well again" systemctl start chimed
check "knows what it knew" grep -q duplicate <<<"$(milestone m1 u1 "$first" 2>&1)"

check "says nothing that matters without an explanation" explains_all

finish
