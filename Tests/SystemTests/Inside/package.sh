# Tests the package on a bare Debian, from its first start to its purge. An earlier version of the
# package, before.deb, is installed already.
source "$(dirname "$0")/common.sh"

install_quietly() { # install_quietly PACKAGE...
  dpkg --install --force-confdef --force-confold "$@" >/run/dpkg 2>&1 ||
    { cat /run/dpkg; return 1; }
}
check "the service is active" is ActiveState active
check "its socket is active" is_of chimed.socket ActiveState active
check "it starts at boot" systemctl --quiet is-enabled chimed.service chimed.socket
check "Swift is not installed" eval '! command -v swift >/dev/null'
check "its status has the number of pending occurrences" matches StatusText pending
check "it has no catalog yet, and reports that" matches StatusText '^no catalog is configured'
check "it prints its version" eval 'chimed --version | grep -qE "^[0-9]+\.[0-9]+\.[0-9]+$"'
check "its configuration is valid" chimed --check-config --config /etc/chimed/chimed.yaml
check "it is valid for the service's user" setpriv --reuid chimed --regid chimed --clear-groups \
  chimed --check-config --config /etc/chimed/chimed.yaml
has_manual() { test -s "/usr/share/man/man${1##*.}/$1.gz"; }
for page in chimectl.1 chimed.yaml.5 chimed-catalog.5 chimed.8; do
  check "the manual page $page is there" has_manual $page
done
check "the README, the examples and the schemas are there" \
  test -s /usr/share/doc/chimed/README.md -a -s /usr/share/doc/chimed/examples/diary.py \
  -a -s /usr/share/doc/chimed/examples/alerts.yaml \
  -a -s /usr/share/chimed/schemas/catalog.json -a -s /usr/share/chimed/schemas/configuration.json
check "chimectl is the same executable" \
  test "$(readlink -f "$(command -v chimectl)")" = "$(readlink -f "$(command -v chimed)")"
check "completions are there" \
  test -s /usr/share/bash-completion/completions/chimectl \
  -a -s /usr/share/zsh/vendor-completions/_chimectl \
  -a -s /usr/share/fish/vendor_completions.d/chimectl.fish
check "its messages are explained" \
  grep -q chimed <<<"$(journalctl --list-catalog 2>/dev/null)"

echo "# An upgrade"
# A drop-in chooses the catalog, so that the configuration file is not edited yet.
mkdir -p /etc/systemd/system/chimed.service.d
cat >/etc/systemd/system/chimed.service.d/catalog.conf <<'UNIT'
[Service]
ExecStart=
ExecStart=/usr/bin/chimed serve --config /etc/chimed/chimed.yaml \
    --socket /run/chimed/chimed.sock --catalog imanpath
UNIT
systemctl daemon-reload
check "it starts with the chosen catalog" systemctl restart chimed
milestone e1 amina "$(now)"
check "a reminder is delivered" reaches amina Sabr
chimectl event streak.started --recipient amina --id e2
before=$(pending amina)
event_time=$(now)
# Events are reported as long as /run/reporting exists.
touch /run/reporting /run/again
report() {
  local number=0
  while [ -e /run/reporting ]; do
    number=$((number + 1))
    # A request that was interrupted by the stop of the service is sent again unchanged.
    until milestone "r$number" "r$number" "$event_time" >/run/answer 2>&1; do
      cat /run/answer >>/run/again
    done
    echo "$number" >>/run/accepted
  done
}
report &
reporter=$!
check "the package is upgraded" install_quietly /packages/chimed.deb
check "the newer version is installed" eval '! dpkg-query --show chimed | grep -q before'
check "the service is active" is ActiveState active
check "its files are as they were packaged" eval '[ -z "$(dpkg --verify chimed)" ]'
check "the service was restarted" has_entries 3 "$started"
check "its untouched configuration was upgraded" \
  eval '! grep -q "Of the version" /etc/chimed/chimed.yaml'
rm /run/reporting
wait $reporter
echo "#   $(wc -l </run/accepted) events were accepted during the upgrade," \
  "after $(wc -l </run/again) failed attempts"
check "no request was refused during the upgrade" eval '! grep -i refused /run/again'
has_delivered_all() {
  while read -r number; do
    reaches "r$number" Sabr || { echo "r$number is lost"; return 1; }
  done </run/accepted
}
check "events accepted during the upgrade are delivered once" has_delivered_all
check "nothing pending was lost" test "$(pending amina)" = "$before"
check "earlier deliveries are not repeated" reaches amina Sabr

echo "# An upgrade over a configuration that was edited"
sed -i 's/^default-zone: .*/default-zone: Europe\/Berlin/' /etc/chimed/chimed.yaml
check "the edited configuration is reloaded" systemctl reload chimed
check "the package is upgraded again" install_quietly /packages/next.deb
check "the service becomes active" matches_in_time ActiveState '^active$'
check "the edited configuration stays" grep -q Berlin /etc/chimed/chimed.yaml
check "the configuration of the newer package is beside it" \
  grep -q "Of the version +next" /etc/chimed/chimed.yaml.dpkg-dist
check "the service uses the edited configuration" \
  grep -q Europe/Berlin <<<"$(chimectl status --json)"
milestone e3 bilal "$(now)"
check "a reminder is delivered after the upgrade" reaches bilal Sabr

echo "# A newer tz database"
christmas() { # christmas RECIPIENT: prints the UTC time of the check-in on 25 December
  chimectl ahead "$1" --days 366 --json | tr -d ' \n' | tr '}' '\n' |
    grep daily-checkin-reminder | sed -nE 's/.*"planned":"[0-9]{4}-12-25T([0-9:]+)[^"]*".*/\1/p'
}
old=$(dpkg-query --show tzdata | cut -f 2)
for person in vera:America/Vancouver paul:Europe/Paris; do
  chimectl event recipient.updated --recipient ${person%%:*} "timezone=${person#*:}"
  chimectl event preferences.updated --recipient ${person%%:*} \
    reminders.checkin.time:='"09:00"'
done
if [ "$(christmas vera)" = 16:00:00 ]; then
  echo "# SKIPPED: $old, the oldest one of the mirror, already has the new rules for Vancouver"
else
  check "with $old a reminder at 09:00 in Vancouver is at 17:00 on 25 December" \
    test "$(christmas vera)" = 17:00:00
  paris=$(christmas paul)
  starts=$(property NRestarts)
  main=$(property MainPID)
  tzdata=$(find /packages -name 'tzdata_*' | sort --version-sort | tail -n 1)
  check "tzdata is upgraded" install_quietly "$tzdata"
  check "the upgrade is reported once" has_entries 1 "$zones_changed"
  entry=$(journalctl --quiet --output cat "$zones_changed")
  echo "#   $entry"
  check "the report has the number of recipients and the changes" \
    grep -qE '1 of [0-9]+ recipients live there and were replanned; [0-9]+ of' <<<"$entry"
  check "after the upgrade, the reminder is at 16:00" \
    test "$(christmas vera)" = 16:00:00
  check "the reminder in Paris has not moved" test "$(christmas paul)" = "$paris"
  check "the service was not restarted" \
    test "$(property MainPID) $(property NRestarts)" = "$main $starts"
  check "the upgrade is not reported again" \
    [ "$(journalctl --quiet --output cat "$zones_changed" | wc -l)" -eq 1 ]
fi

echo "# A backup"
back_up() { (umask 077 && chimectl backup /root/backup >/dev/null); }
check "root makes a backup" back_up
milestone e4 dalia "$(now)"
check "an event is delivered after the backup" reaches dalia Sabr
restore() {
  systemctl stop chimed.socket chimed.service &&
    chimed restore /root/backup --state-directory /var/lib/chimed --replace &&
    systemctl start chimed
}
check "root restores the backup" restore
check "the service runs on the restored store" chimectl pending bilal
check "the store does not have the later recipient" \
  eval '! chimectl pending dalia 2>/dev/null'
check "the backup can be restored once more" restore
check "all files belong to the service" \
  eval '[ -z "$(find /var/lib/chimed -not -user chimed -print)" ]'

echo "# Removal"
before=$(pending amina)
dpkg --remove chimed >/dev/null 2>&1
check "the service is stopped" eval '! is ActiveState active >/dev/null'
check "the port is closed" eval '! curl --silent http://127.0.0.1:7411/healthz'
check "state and configuration stay" \
  test -e /var/lib/chimed/chimed.sqlite -a -e /etc/chimed/chimed.yaml
check "the package is installed again" install_quietly /packages/next.deb
check "the installation starts it" matches_in_time ActiveState '^active$'
check "its socket is active" is_of chimed.socket ActiveState active
check "it starts at boot again" systemctl --quiet is-enabled chimed.service chimed.socket
check "the service has the same pending occurrences" test "$(pending amina)" = "$before"
check "the service has the edited configuration" \
  grep -q Europe/Berlin <<<"$(chimectl status --json)"

echo "# Purge"
dpkg --purge chimed >/dev/null 2>&1
rm -r /etc/systemd/system/chimed.service.d
left=$(find / -xdev \( -path /inside -o -path /packages -o -path /proc -o -path /run \
  -o -path /var/log/journal -o -path /var/lib/dpkg \) -prune -o -name '*chime*' -print)
check "no file is left" eval '[ -z "$left" ] || { echo "$left"; false; }'
check "no unit is left" \
  eval '[ -z "$(systemctl list-unit-files --no-legend "chimed*")" ]'
check "no entry of the message catalog is left" \
  eval '! journalctl --list-catalog 2>/dev/null | grep chimed'
check "dpkg has no record of the package" eval '! dpkg-query --show chimed 2>/dev/null'
finish
