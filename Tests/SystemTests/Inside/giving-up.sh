#!/usr/bin/env bash
# The installed service fails for good, or its store is to be that of a backup: what is told of it,
# and whether the documented lines mend it.
source /inside/common.sh

file=/etc/chimed/chimed.yaml
install_service
as_service() { setpriv --reuid chimed --regid chimed --clear-groups "$@"; }
alerts() { journalctl --quiet --output cat "$gave_up" | wc -l; }

echo "# Nothing that was sound"
sed -i 's/^sinks:/snks:/' $file
systemctl start chimed.socket
# Clients that come meanwhile start it too.
for _ in {1..5}; do timeout 5 chimectl status >/dev/null 2>&1; done
exits() { journalctl --quiet --unit chimed | grep -q "Main process exited, .*status=$1"; }
check "exits with 78" exits 78
check "tells of it" has_entries 1 "$gave_up"
is_closed() {
  for _ in {1..100}; do
    systemctl show --property ActiveState --value chimed.socket | grep -qE 'inactive|failed' &&
      return
    read -rt 0.1 <> <(:)
  done
  return 1
}
check "closes the sockets, so that nobody starts it again" is_closed
is_down() { ! systemctl --quiet is-active chimed; }
check "does not run" is_down
check "has told of it once" [ "$(alerts)" -eq 1 ]
sed -i 's/^snks:/sinks:/' $file
check "starts when it is mended, without more ado" systemctl start chimed
check "has its sockets again" is_of chimed.socket ActiveState active

echo "# A restart whose stop ends badly"
mkdir -p /run/systemd/system/chimed.service.d
cat >/run/systemd/system/chimed.service.d/stop.conf <<'UNIT'
[Service]
ExecStop=/bin/kill -KILL $MAINPID
UNIT
systemctl daemon-reload
check "starts all the same" systemctl restart chimed
check "though the stop before it has failed" \
  grep -q "chimed.service: Failed with result 'signal'" <(journalctl --quiet --unit chimed)
failure=chimed-failure@chimed.service.service
check "is looked at by the report of failures" \
  has_entries 1 UNIT=$failure "MESSAGE=$failure: Skipped due to 'exec-condition'."
check "has its sockets" is_of chimed.socket ActiveState active
check "serves" chimectl status
check "has not been told of again" [ "$(alerts)" -eq 1 ]
rm /run/systemd/system/chimed.service.d/stop.conf
systemctl daemon-reload

echo "# A crash loop"
cat >/run/systemd/system/chimed.service.d/crash.conf <<'UNIT'
[Service]
ExecStart=
ExecStart=/bin/false
RestartSec=50ms
UNIT
systemctl daemon-reload
systemctl restart chimed 2>/dev/null
timeout 5 chimectl status >/dev/null 2>&1
check "is given up, which is told of" has_entries 2 "$gave_up"
check "has failed for good" is SubState failed
check "closes the sockets" is_closed
check "and not more than once" [ "$(alerts)" -eq 2 ]
rm /run/systemd/system/chimed.service.d/crash.conf
systemctl daemon-reload
again=$(journalctl --quiet --output cat "$gave_up" | sed -n '$s/.*; when it is mended: //p')
echo "#   it says what to do: $again"
check "starts by the line that it tells" eval "$again"

echo "# A backup"
umask 077
milestone m3 u3 "$(now)"
check "delivers" reaches u3 Sabr
check "is made by root" chimectl backup /root/backup
milestone m4 u4 "$(now)"
check "something happens after it" reaches u4 Sabr
restore() {
  systemctl stop chimed.socket chimed.service &&
    chimed restore /root/backup --state-directory /var/lib/chimed --replace &&
    systemctl start chimed
}
check "is restored by the documented lines" restore
check "the service runs on it" chimectl status
check "and knows whom it knew" chimectl pending u3
knows_not() { ! chimectl pending "$1" 2>/dev/null; }
check "and nobody else" knows_not u4
check "is restored once more" restore
check "the service runs on it again" is ActiveState active
is_the_services() { [ -z "$(find /var/lib/chimed -not -user chimed -print)" ]; }
check "all files are the service's" is_the_services
check "what was replaced is there" \
  test -s /var/lib/chimed/replaced/chimed.sqlite -a -s /var/lib/chimed/replaced-2/chimed.sqlite
cannot_read() {
  as_service chimed restore /root/backup --state-directory /var/lib/chimed --replace 2>/run/said
  [ $? -eq 66 ] && grep -q "^error: /root/backup cannot be read: " /run/said ||
    { cat /run/said; return 1; }
}
check "who cannot read it is told which file that is" cannot_read

check "says nothing that matters without an explanation" explains_all
finish
