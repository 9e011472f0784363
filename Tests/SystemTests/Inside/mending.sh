#!/usr/bin/env bash
# Tests a mistake in the configuration followed by a restart: the service's behaviour and reports,
# and the repair by a reload.
source /inside/common.sh

file=/etc/chimed/chimed.yaml
systemd-sysusers
systemd-tmpfiles --create
journalctl --update-catalog
as_service() { setpriv --reuid chimed --regid chimed --clear-groups "$@"; }
# finds_fault PATTERN [COMMAND...]: the check of the configuration, executed by the command, exits
# with 78 and prints a text that matches the pattern.
finds_fault() {
  "${@:2}" chimed --check-config --config $file >/run/check 2>&1
  [ $? -eq 78 ] && grep -qE "$1" /run/check || { cat /run/check; return 1; }
}
is_healthy() {
  local status
  status=$(chimectl status) && grep -qE "^healthy, (running|.*outdated or ends soon)" <<<"$status"
}

echo "# The configuration that is shipped"
check "is valid for root" chimed --check-config --config $file
check "is valid for the service's user" as_service chimed --check-config --config $file
check "starts" systemctl start chimed
check "has no catalog yet, and reports that" matches_in_time StatusText '^no catalog is configured'
choose_catalog
check "loads the chosen catalog" systemctl reload chimed
milestone m1 u1 "$(now)"
check "sends reminders of the catalog" reaches u1 Sabr
check "the status no longer mentions a missing catalog" \
  matches_in_time StatusText '^[0-9]+ pending'

echo "# A typo and a restart"
sed -i 's/^default-zone:.*/default-zone: Erope\/Berlin/; s/^sinks:/snks:/' $file
check "the check finds the first mistake and its position" finds_fault "$file:[0-9]+:1: .*\"snks\""
check "the check finds the second mistake" \
  finds_fault "$file:[0-9]+:15: the default zone: \"Erope/Berlin\""
check "the check finds a mistake when it runs as the service's user" \
  finds_fault "$file:[0-9]+:1: " as_service
check "starts" systemctl restart chimed
check "is active" is ActiveState active
check "the status reports that it runs with an earlier configuration" \
  matches_in_time StatusText \
  "^the configuration is invalid; the one saved at 20.* $file:[0-9]+:[0-9]+: "
check "the journal reports that" has_entries 1 "$replaced"
explanation=$(journalctl --catalog --output short "$replaced")
fault=$(grep -A 1 "a file that it names, is invalid:" <<<"$explanation")
check "the explanation has the position of a mistake" grep -qE "$file:[0-9]+:[0-9]+: " <<<"$fault"
check "reports that the service is not healthy" grep -q "not healthy" <<<"$(chimectl status)"
milestone m2 u2 "$(now)"
check "delivers with the earlier configuration" reaches u2 Sabr
check "only its user can read its copy of the configuration" \
  [ "$(stat --format %U:%a /var/lib/chimed/configuration.json)" = chimed:600 ]

echo "# Seven restarts by hand"
restarts_by_hand() {
  for _ in {1..7}; do
    systemctl restart chimed || return 1
    # chimectl exits with 1 because the service is not healthy.
    chimectl status >/run/answer 2>&1 || [ $? = 1 ] || { cat /run/answer; return 1; }
  done
}
check "each of them starts" restarts_by_hand
check "the sockets are open" is_of chimed.socket ActiveState active
check "no failure was reported" has_no_entries "$gave_up"

echo "# The correction"
fails_to_reload() { ! systemctl reload chimed 2>/dev/null; }
check "a reload before the correction is refused" fails_to_reload
sed -i 's/^default-zone:.*/default-zone: Europe\/Berlin/; s/^snks:/sinks:/' $file
check "a reload loads the corrected configuration" systemctl reload chimed
check "was not restarted by systemd" is NRestarts 0
check "the status no longer mentions the earlier configuration" \
  matches_in_time StatusText '^[0-9]+ pending'
check "is healthy" is_healthy
check "uses the corrected configuration" grep -q Europe/Berlin <<<"$(chimectl status --json)"

echo "# A catalog that was removed"
cp /usr/share/chimed/catalogs/imanpath.yaml /etc/chimed/catalogs/ours.yaml
sed -i 's/^catalogs:.*/catalogs: [ours]/' $file
check "loads the new catalog" systemctl reload chimed
rm /etc/chimed/catalogs/ours.yaml
check "the check reports the position of the catalog's name" \
  finds_fault "$file:[0-9]+:12: ours: there is no such catalog"
check "starts" systemctl restart chimed
milestone m3 u3 "$(now)"
check "delivers with the earlier catalog" reaches u3 Sabr
sed -i 's/^catalogs:.*/catalogs: [imanpath]/' $file
check "loads another catalog" systemctl reload chimed

check "every warning has an explanation" explains_all
finish
