#!/usr/bin/env bash
# Tests two cases: the installed service fails so that systemd does not start it again, and its
# store is restored from a backup. Checks the reports, and the repairs by the documented commands.
source /inside/common.sh

file=/etc/chimed/chimed.yaml
install_service
as_service() { setpriv --reuid chimed --regid chimed --clear-groups "$@"; }
alerts() { journalctl --quiet --output cat "$gave_up" | wc -l; }

echo "# No valid configuration yet"
sed -i 's/^sinks:/snks:/' $file
systemctl start chimed.socket
# A client that connects starts the service, too.
for _ in {1..5}; do timeout 5 chimectl status >/dev/null 2>&1; done
exits() { journalctl --quiet --unit chimed | grep -q "Main process exited, .*status=$1"; }
check "exits with 78" exits 78
check "its failure is reported" has_entries 1 "$gave_up"
is_closed() {
  for _ in {1..100}; do
    systemctl show --property ActiveState --value chimed.socket | grep -qE 'inactive|failed' &&
      return
    read -rt 0.1 <> <(:)
  done
  return 1
}
check "the sockets are closed, so that no client starts it again" is_closed
is_down() { ! systemctl --quiet is-active chimed; }
check "does not run" is_down
check "its failure is reported only once" [ "$(alerts)" -eq 1 ]
sed -i 's/^snks:/sinks:/' $file
check "starts after the correction, without another command" systemctl start chimed
check "has its sockets again" is_of chimed.socket ActiveState active

echo "# A restart whose stop fails"
mkdir -p /run/systemd/system/chimed.service.d
cat >/run/systemd/system/chimed.service.d/stop.conf <<'UNIT'
[Service]
ExecStop=/bin/kill -KILL $MAINPID
UNIT
systemctl daemon-reload
check "starts" systemctl restart chimed
check "the previous stop has failed" \
  grep -q "chimed.service: Failed with result 'signal'" <(journalctl --quiet --unit chimed)
failure=chimed-failure@chimed.service.service
check "the failure unit does not treat the failed stop as a failure of the service" \
  has_entries 1 UNIT=$failure "MESSAGE=$failure: Skipped due to 'exec-condition'."
check "has its sockets" is_of chimed.socket ActiveState active
check "serves" chimectl status
check "no further failure is reported" [ "$(alerts)" -eq 1 ]
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
check "systemd gives up, and that is reported" has_entries 2 "$gave_up"
check "stays in the failed state" is SubState failed
check "the sockets are closed" is_closed
check "the failure is reported only once" [ "$(alerts)" -eq 2 ]
rm /run/systemd/system/chimed.service.d/crash.conf
systemctl daemon-reload
restart=$(journalctl --quiet --output cat "$gave_up" |
  sed -n '$s/.*; after removing the cause: //p')
echo "#   the command in the report: $restart"
check "starts by the command in the report" eval "$restart"

echo "# A backup"
umask 077
milestone m3 u3 "$(now)"
check "delivers" reaches u3 Sabr
check "root makes a backup" chimectl backup /root/backup
milestone m4 u4 "$(now)"
check "an event is delivered after the backup" reaches u4 Sabr
restore() {
  systemctl stop chimed.socket chimed.service &&
    chimed restore /root/backup --state-directory /var/lib/chimed --replace &&
    systemctl start chimed
}
check "the documented commands restore the backup" restore
check "the service runs on the restored store" chimectl status
check "the store has the recipients of the backup" chimectl pending u3
has_no_recipient() { ! chimectl pending "$1" 2>/dev/null; }
check "the store does not have the later recipient" has_no_recipient u4
check "the backup can be restored once more" restore
check "the service runs on the restored store again" is ActiveState active
belongs_to_service() { [ -z "$(find /var/lib/chimed -not -user chimed -print)" ]; }
check "all files belong to the service" belongs_to_service
check "the replaced stores are kept" \
  test -s /var/lib/chimed/replaced/chimed.sqlite -a -s /var/lib/chimed/replaced-2/chimed.sqlite
cannot_read() {
  as_service chimed restore /root/backup --state-directory /var/lib/chimed --replace 2>/run/said
  [ $? -eq 66 ] && grep -q "^error: /root/backup cannot be read: " /run/said ||
    { cat /run/said; return 1; }
}
check "without permission, the restore names the file that cannot be read" cannot_read

check "every warning has an explanation" explains_all
finish
