#!/usr/bin/env bash
# The moments in which an operator has made a mistake, or needs a backup: what the installed service
# does then, what it says, and whether the documented line mends it.
source /inside/common.sh

file=/etc/chimed/chimed.yaml
systemd-sysusers
systemd-tmpfiles --create
journalctl --update-catalog
as_service() { setpriv --reuid chimed --regid chimed --clear-groups "$@"; }
finds_fault() { # finds_fault PLACE COMMAND...: with 78, and with the place
  "${@:2}" chimed --check-config --config $file >/run/check 2>&1
  [ $? -eq 78 ] && grep -qE "$1" /run/check || { cat /run/check; return 1; }
}
is_healthy() { grep -q "^healthy, running" <<<"$(chimectl status)"; }
alerts() { journalctl --quiet --output cat "$gave_up" | wc -l; }

echo "# The configuration that is shipped"
check "is sound for root" chimed --check-config --config $file
check "is sound for the service's user" as_service chimed --check-config --config $file
check "starts" systemctl start chimed
check "reminds nobody yet, and says so" says_in_time StatusText '^no catalog chosen'
choose_catalog
check "takes in the catalog that is chosen" systemctl reload chimed
milestone m1 u1 "$(now)"
check "reminds then" reaches u1 Sabr
check "says no more of it" says_in_time StatusText '^[0-9]+ pending'

echo "# A typo and a restart"
sed -i 's/^default-zone:.*/default-zone: Erope\/Berlin/; s/^sinks:/snks:/' $file
check "the check finds it, with its place" finds_fault "$file:[0-9]+:1: .*\"snks\""
check "and what is named there" finds_fault "$file:[0-9]+:15: the default zone: \"Erope/Berlin\""
check "and for the service's user" finds_fault "$file:[0-9]+:1: " as_service
check "it starts all the same" systemctl restart chimed
check "it is active" is ActiveState active
check "says in its status that it runs with an earlier one" \
  says_in_time StatusText "^the configuration is not sound, and that of 20.* $file:[0-9]+:[0-9]+: "
check "says so in the journal" has_entries 1 "$replaced"
check "with the place in the explanation" \
  grep -qE "has faults: $file:[0-9]+:[0-9]+: " <<<"$(journalctl --catalog --output short "$replaced")"
check "is not healthy by its own account" grep -q "not healthy" <<<"$(chimectl status)"
milestone m2 u2 "$(now)"
check "delivers meanwhile" reaches u2 Sabr
check "keeps nothing for others to read" \
  [ "$(stat --format %U:%a /var/lib/chimed/configuration.json)" = chimed:600 ]

echo "# Seven restarts by hand"
restarts_by_hand() {
  for _ in {1..7}; do
    systemctl restart chimed || return 1
    chimectl status >/run/answer 2>&1 || { cat /run/answer; return 1; }
  done
}
check "each of them starts" restarts_by_hand
check "the sockets are open" is_of chimed.socket ActiveState active
check "nobody was told that it has failed" has_no_entries "$gave_up"

echo "# Mended"
fails_to_reload() { ! systemctl reload chimed 2>/dev/null; }
check "a reload before that is refused" fails_to_reload
sed -i 's/^default-zone:.*/default-zone: Europe\/Berlin/; s/^snks:/sinks:/' $file
check "a reload after that takes it in" systemctl reload chimed
check "without a restart" is NRestarts 0
check "says no more of the other" says_in_time StatusText '^[0-9]+ pending'
check "is healthy" is_healthy
check "goes by it" grep -q Europe/Berlin <<<"$(chimectl status --json)"

echo "# A catalog that is gone"
cp /usr/share/chimed/catalogs/imanpath.yaml /etc/chimed/catalogs/ours.yaml
sed -i 's/^catalogs:.*/catalogs: [ours]/' $file
check "takes the new one in" systemctl reload chimed
rm /etc/chimed/catalogs/ours.yaml
check "the check says where it is named" \
  finds_fault "$file:[0-9]+:12: ours: there is no such catalog"
check "it starts all the same" systemctl restart chimed
milestone m3 u3 "$(now)"
check "delivers by it" reaches u3 Sabr
sed -i 's/^catalogs:.*/catalogs: [imanpath]/' $file
check "takes another in" systemctl reload chimed

echo "# Nothing that was sound"
systemctl stop chimed 2>/dev/null
rm /var/lib/chimed/configuration.json
sed -i 's/^sinks:/snks:/' $file
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

echo "# A crash loop"
mkdir -p /run/systemd/system/chimed.service.d
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
