#!/usr/bin/env bash
# Restarts the installed service repeatedly under load, and then kills it repeatedly. Each of these
# two phases ends after CHIMED_SECONDS at the latest, because a debug build takes a second to start.
# Checks that no request is refused and no event is lost.
source /inside/common.sh
restarts=100 kills=20 seconds=$CHIMED_SECONDS

install_service
mkdir -p /run/systemd/system/chimed.service.d
cat >/run/systemd/system/chimed.service.d/inside.conf <<'UNIT'
[Unit]
StartLimitIntervalSec=0
[Service]
RestartSec=0
UNIT
systemctl daemon-reload

begin_load() { # begin_load FILE
  python3 /inside/load.py "$1" &
  load=$!
  load_start=$SECONDS
}
is_in_time() { [ $((SECONDS - load_start)) -lt "$seconds" ]; }
end_load() {
  echo "#   $1 $count times in $((SECONDS - load_start)) s under load"
  kill -TERM $load
  wait $load
  # shellcheck disable=SC1090
  source "$2"
  echo "#   $answered requests answered, $unanswered cut off and sent again, $refused refused"
}
# has_every_event FILE: the service recognizes every acknowledged event as a duplicate.
has_every_event() {
  local tally
  tally=$(chimectl events "$1.events" 2>&1)
  [ "$tally" = "accepted 0, duplicate $acknowledged, refused 0" ] || { echo "$tally"; return 1; }
}
is_idle() { chimectl status --lanes | grep -qE '^journal +closed +0 +- +0 +0 '; }

echo "# Restarts under load"
check "starts" systemctl start chimed
begin_load /run/restarts
for ((count = 0; count < restarts; count += 1)); do
  is_in_time || break
  systemctl restart chimed || break
done
end_load restarted /run/restarts
check "refuses no request" [ "$refused" -eq 0 ]
check "answers more requests than there are restarts" [ "$answered" -gt "$count" ]
check "has every event that it acknowledged" has_every_event /run/restarts

echo "# Kills under load"
begin_load /run/kills
before=$(property NRestarts)
for ((count = 0; count < kills; count += 1)); do
  is_in_time || break
  # Waits until a random moment during the start or shortly after it.
  read -rt "0.$((RANDOM % 4))" <> <(:)
  kill -KILL "$(property MainPID)"
  matches_in_time NRestarts "^$((before + count + 1))$" || break
  matches_in_time ActiveState '^active$' || break
done
end_load killed /run/kills
check "is restarted each time" is NRestarts $((before + count))
check "refuses no request" [ "$refused" -eq 0 ]
check "has every event that it acknowledged" has_every_event /run/kills
for _ in {1..100}; do
  is_idle && break
  read -rt 0.1 <> <(:)
done
check "has delivered every acknowledged event, each under one id" \
  python3 /inside/deliveries.py /run/restarts.events /run/kills.events
finish
