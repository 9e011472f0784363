#!/usr/bin/env bash
# Restarts the installed service repeatedly under load, then kills it repeatedly, and checks that no
# request is refused and no event lost. A debug build takes a second to start, so each part also
# ends after CHIMED_SECONDS.
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
  begun=$SECONDS
}
is_in_time() { [ $((SECONDS - begun)) -lt "$seconds" ]; }
end_load() {
  echo "#   $1 $count times in $((SECONDS - begun)) s under load"
  kill -TERM $load
  wait $load
  # shellcheck disable=SC1090
  source "$2"
  echo "#   $answered requests answered, $unanswered cut off and sent again, $refused refused"
}
# Every acknowledged event is known.
knows() { # knows FILE
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
check "answers meanwhile" [ "$answered" -gt "$count" ]
check "knows every event that it acknowledged" knows /run/restarts

echo "# Kills under load"
begin_load /run/kills
before=$(property NRestarts)
for ((count = 0; count < kills; count += 1)); do
  is_in_time || break
  # A random moment during the start or shortly after it.
  read -rt "0.$((RANDOM % 4))" <> <(:)
  kill -KILL "$(property MainPID)"
  says_in_time NRestarts "^$((before + count + 1))$" || break
  says_in_time ActiveState '^active$' || break
done
end_load killed /run/kills
check "is restarted each time" is NRestarts $((before + count))
check "refuses no request" [ "$refused" -eq 0 ]
check "knows every event that it acknowledged" knows /run/kills
for _ in {1..100}; do
  is_idle && break
  read -rt 0.1 <> <(:)
done
check "has delivered all of them, each under one id" \
  python3 /inside/deliveries.py /run/restarts.events /run/kills.events
finish
