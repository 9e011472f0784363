#!/usr/bin/env bash
# Checks the installed service under systemd: start, deliveries, hangs, reload, log level, stop,
# secrets, and state that it must not use.
source /inside/common.sh

# The watchdog interval is short. A journal entry records the result of each run, because systemd
# forgets the result of a service that ends successfully. All other settings are as shipped.
mkdir -p /run/systemd/system/chimed.service.d
cat >/run/systemd/system/chimed.service.d/inside.conf <<'UNIT'
[Service]
LoadCredential=canary:/etc/credstore/canary
WatchdogSec=3s
ExecStopPost=/usr/bin/echo It ended with ${SERVICE_RESULT}: ${EXIT_CODE} ${EXIT_STATUS}
UNIT
systemctl daemon-reload
check "systemd finds no fault with the unit" systemd-analyze verify chimed.service
check "systemd finds no fault with the socket unit" systemd-analyze verify chimed.socket
check "systemd finds no fault with the failure unit" \
  systemd-analyze verify chimed-failure@chimed.service
install_service
exposure() { systemd-analyze security --no-pager chimed.service | tail -n 1; }
echo "#   $(exposure)"
has_low_exposure() { systemd-analyze security --threshold=12 --no-pager chimed >/dev/null; }
check "has an exposure of at most 1.2 as rated by systemd" has_low_exposure

install_canary() { install -m 600 <(echo canary-4711) /etc/credstore/canary; }
check "a secret can be stored in /etc/credstore" install_canary

echo "# Start"
check "starts" systemctl start chimed
check "answers as soon as it is started" chimectl status
check "is active" is ActiveState active
check "notifies systemd when it is ready" is Type notify
check "runs as its own user" \
  [ "$(stat --format %U "/proc/$(property MainPID)")" = chimed ]
check "reports its start" has_entries 1 "$started"

echo "# Events and deliveries"
first=$(now)
check "accepts an event" milestone m1 u1 "$first"
check "delivers into the journal" reaches u1 Sabr
check "the delivery is found in the journal by the recipient" \
  grep -qE '"CHIME_REMINDER" ?: ?"milestone-7"' <<<"$(entries 1 json CHIME_RECIPIENT=u1)"
explanation=$(journalctl --catalog --output short CHIME_RECIPIENT=u1 "$delivered")
check "the message catalog explains the entry" \
  grep -q "Subject: milestone-7 is sent to u1" <<<"$explanation"
check "the explanation has no placeholder left" [ "${explanation/@CHIME_/}" = "$explanation" ]
check "its status has the pending count and the next reminder" \
  matches_in_time StatusText '^2 pending; next [a-z-]+-reminder for 1 recipient at 20[0-9T:.-]+Z$'

echo "# A service that hangs"
before=$(pending u1)
second=$(now)
milestone m2 u2 "$second"
kill -STOP "$(property MainPID)"
check "is restarted" has_entries 2 "$started"
check "was ended by the watchdog" \
  has_entries 1 _SYSTEMD_UNIT=chimed.service "MESSAGE=It ended with watchdog: killed ABRT"
check "was restarted once" is NRestarts 1
check "is active again" matches_in_time ActiveState '^active$'
check "delivers occurrences of the interruption once" reaches u2 Sabr
check "has the same pending occurrences" diff <(pending u1) <(echo "$before")
check "recognizes the first event as a duplicate" \
  grep -q duplicate <<<"$(milestone m1 u1 "$first" 2>&1)"
check "recognizes the last event as a duplicate" \
  grep -q duplicate <<<"$(milestone m2 u2 "$second" 2>&1)"

# hangs THREAD PART: stops a thread, and checks that the service reports that the part hangs, and is
# restarted. PART is a pattern of the name that the service's reports have for that thread.
hangs() {
  local soon due held delay=0 number=$((restarts + 1))
  due=$(($(date +%s%3N) + 2000))
  printf -v soon %d.%03d $((due / 1000)) $((due % 1000))
  soon=$(date --utc --date "@$soon" +%FT%T.%3NZ)
  milestone "h$number" "h$number" "$soon"
  before=$(pending u1)
  coproc python3 /inside/hold-thread.py "$(property MainPID)" "$1"
  local holder=$COPROC_PID
  read -r answer <&"${COPROC[0]}"
  held=$(date +%s%3N)
  check "the thread of the part is stopped: $2" [ "$answer" = held ]
  check "announces the restart when half of the time has passed" \
    grep -q "^$2.* has made no progress for .* the service is restarted$" \
    <(entries $((number - 1)) cat "$slow_part" | tail -n 1)
  check "reports that it asks for a restart" \
    grep -q "^$2.* the service manager is asked" \
    <(entries $((number - 1)) cat "$stalled_part" | tail -n 1)
  # The engine counts as hanging only when its next work is due.
  [ "$1" != engine ] || held=$((due > held ? due : held))
  delay=$(($(date +%s%3N) - held))
  echo "#   the restart was requested after $delay ms; WatchdogSec= is 3 s"
  check "requests the restart within 6 s" [ $delay -lt 6000 ]
  check "is started again" has_entries $((number + 1)) "$started"
  restarts=$number
  check "was restarted once for the hang" is NRestarts $restarts
  check "becomes active again" matches_in_time ActiveState '^active$'
  check "has the same pending occurrences" diff <(pending u1) <(echo "$before")
  check "delivers occurrences of the interruption once" reaches "h$number" Sabr
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
check "refuses to reload an invalid catalog" fails_to_reload
check "the status has the reason" \
  matches StatusText "^the last reload was rejected: $catalog:[0-9]+"
check "names the position of the fault" \
  grep -qE "$catalog:[0-9]+:[0-9]+: " <<<"$(entries 1 cat "$rejected")"
milestone m3 u3 "$(now)"
check "continues with the old catalog" reaches u3 Sabr
sed 's/name: Sabr/name: Patience/' /usr/share/chimed/catalogs/imanpath.yaml >"$catalog"
check "loads a valid catalog" systemctl reload chimed
check "the status no longer mentions the invalid catalog" \
  matches_in_time StatusText '^[0-9]+ pending'
check "reports the reload" has_entries 1 "$reloaded"
milestone m4 u4 "$(now)"
check "uses the new catalog" reaches u4 Patience
check "is still active" is ActiveState active
check "was not restarted for the reload" is NRestarts $restarts
rm "$catalog"

echo "# Log level"
check "accepts the log level warning" chimectl log-level warning
milestone m5 u5 "$(now)"
check "still delivers into the journal" reaches u5 Patience
check "does not log the delivery" has_no_entries CHIME_RECIPIENT=u5 "$delivered"
check "a reload resets the level" systemctl reload chimed
check "the level is info again" [ "$(chimectl log-level)" = info ]

echo "# Stop"
check "stops" systemctl stop chimed
check "ends by itself and successfully" \
  has_entries 1 _SYSTEMD_UNIT=chimed.service "MESSAGE=It ended with success: exited 0"
check "reports its end" has_entries 1 "$stopped"
check "its sockets stay open" is_of chimed.socket ActiveState active
check "a connection starts it" chimectl status
check "is active once more" is ActiveState active
check "stops again" systemctl stop chimed

echo "# Secrets"
check "starts with a credential" systemctl start chimed
main=/proc/$(property MainPID)
check "gets the credential from systemd" grep -qz '^CREDENTIALS_DIRECTORY=' "$main/environ"
has_no_canary() { ! grep -rqs canary-4711 "$@"; }
check "the secret is not in its environment" has_no_canary "$main/environ"
check "the secret is not in its arguments" has_no_canary "$main/cmdline"
check "the secret is not in the journal" has_no_canary <(journalctl --output export)
check "the secret is not in its state" has_no_canary /var/lib/chimed
check "core dumps are off" grep -qE '^Max core file size +0 +0 ' "$main/limits"
systemctl stop chimed 2>/dev/null

echo "# State that it must not use"
# This script has started the service more often than systemd's limit permits.
systemctl reset-failed chimed
state=/var/lib/chimed
mv $state/chimed.sqlite $state/intact
echo "This is a diary." >$state/chimed.sqlite
check "does not start with a damaged store" fails_to_start
check "exits with 65" is ExecMainStatus 65
check "stays in the failed state" is SubState failed
check "was not restarted because of the damaged store" is NRestarts 0
check "its permanent failure is reported" \
  has_entries 1 MESSAGE_ID=e6588f47150c4fc48f35121e3e60fe33
check "left the store as it was" grep -qx "This is a diary." $state/chimed.sqlite
mv $state/intact $state/chimed.sqlite

exec 9>>$state/lock
flock 9
systemctl reset-failed chimed
check "does not start on a state directory that is in use" fails_to_start
check "exits with 75" is ExecMainStatus 75
check "stays in the failed state again" is SubState failed
check "was not restarted because of the directory in use" is NRestarts 0
check "reports that the directory is in use" has_entries 1 "$in_use"
# Waits for this report before the next start: the unit that writes it also closes the sockets, and
# would thus stop a service that has started.
check "this permanent failure is reported, too" has_entries 2 "$gave_up"
exec 9>&-

check "starts after the repair" systemctl start chimed
check "still recognizes the first event as a duplicate" \
  grep -q duplicate <<<"$(milestone m1 u1 "$first" 2>&1)"

check "every warning has an explanation" explains_all

finish
