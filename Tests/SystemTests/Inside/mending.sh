#!/usr/bin/env bash
# An operator makes a mistake in the configuration and restarts the service: what it does then, what
# it says, and whether a reload mends it.
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
is_healthy() {
  local status
  status=$(chimectl status) && grep -qE "^healthy, (running|.*old, or ends soon)" <<<"$status"
}

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
explained=$(journalctl --catalog --output short "$replaced")
check "with the place in the explanation" \
  grep -qE "has faults: $file:[0-9]+:[0-9]+: " <<<"$explained"
check "is not healthy by its own account" grep -q "not healthy" <<<"$(chimectl status)"
milestone m2 u2 "$(now)"
check "delivers meanwhile" reaches u2 Sabr
check "keeps nothing for others to read" \
  [ "$(stat --format %U:%a /var/lib/chimed/configuration.json)" = chimed:600 ]

echo "# Seven restarts by hand"
restarts_by_hand() {
  for _ in {1..7}; do
    systemctl restart chimed || return 1
    # It is not healthy, and says so by exiting with 1.
    chimectl status >/run/answer 2>&1 || [ $? = 1 ] || { cat /run/answer; return 1; }
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

check "says nothing that matters without an explanation" explains_all
finish
