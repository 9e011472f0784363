# Functions of all scripts that test the installed service under a systemd of its own.
set -uo pipefail

failures=0
# check TEXT COMMAND...: runs the command and prints TEXT with the result. A TEXT without a subject
# is about the service.
check() {
  if "${@:2}"; then
    echo "ok: $1"
  else
    echo "NOT OK: $1"
    failures=$((failures + 1))
  fi
}

# The following functions are about the properties of units in systemd.
property() { systemctl show --property "$1" --value chimed; }
is_of() { # is_of UNIT PROPERTY VALUE
  [ "$(systemctl show --property "$2" --value "$1")" = "$3" ]
}
is() { [ "$(property "$1")" = "$2" ] || { property "$1"; return 1; }; } # is PROPERTY VALUE
matches() { # matches PROPERTY PATTERN
  property "$1" | grep -qE "$2" || { property "$1"; return 1; }
}
matches_in_time() { # matches_in_time PROPERTY PATTERN: within about 10 seconds
  for _ in {1..100}; do
    matches "$@" >/dev/null && return
    # Sleeps without a process.
    read -rt 0.1 <> <(:)
  done
  matches "$@"
}

# Prints the first COUNT matching journal entries, as soon as there are that many.
entries() { # entries COUNT OUTPUT MATCH...
  head -n "$1" < <(timeout 20 journalctl --quiet --follow --lines all --output "$2" "${@:3}")
}
has_no_entries() { [ -z "$(journalctl --quiet --output cat "$@")" ]; } # MATCH...
has_entries() { [ "$(entries "$1" cat "${@:2}" | wc -l)" -eq "$1" ]; } # COUNT MATCH...

now() { date --utc +%FT%T.%3NZ; }
milestone() { # milestone ID RECIPIENT TIME
  chimectl event milestone.reached --id "$1" --recipient "$2" --time "$3" days=7
}
# reaches RECIPIENT NAME: the journal sink has written the milestone's message, under one
# notification id. A kill between a dispatch and its record causes a repetition with the same id.
reaches() {
  local meaning="7 days! Patience - Steadfastness through difficulty"
  local message="Milestone Reached: $2: $meaning. Keep going, Allah is with you."
  local match=(_SYSTEMD_UNIT=chimed.service "CHIME_RECIPIENT=$1" "MESSAGE=$message")
  has_entries 1 "${match[@]}" &&
    [ "$(journalctl --quiet --output json --output-fields CHIME_NOTIFICATION "${match[@]}" |
      grep -oE '"CHIME_NOTIFICATION" ?: ?"[^"]+"' | sort -u | wc -l)" -eq 1 ]
}
pending() { chimectl pending "$1" --json | sed 's/"now": *"[^"]*"//'; }
fails_to_start() { ! systemctl start chimed; }
started=MESSAGE_ID=0b084c3d41f54646b000e470d84b72a7
stopped=MESSAGE_ID=42e2d0e6841a438c88a04ae3de4dd8fe
delivered=MESSAGE_ID=9148c159c72f4a31a7e3b5361ba14034
reloaded=MESSAGE_ID=7b5ffac2f263440892bc2b972de0e28b
rejected=MESSAGE_ID=aa129ebc872040febc2f4ef7658c20dd
in_use=MESSAGE_ID=3d2edae5b0014b90ac54756162df8e45
retried=MESSAGE_ID=68355113d1bc418fabd95dcdbe62f01e
failing=MESSAGE_ID=b344b4e800a7431d98a67a8e7b43ba57
recovered=MESSAGE_ID=8ad68e6d25c34524b8762d17ad1bcb77
slow=MESSAGE_ID=2c1b65626e9046caafb6840c08c1aa80
full=MESSAGE_ID=5394450c3dcd46afb9dadbc7b7656f3f
freed=MESSAGE_ID=be5c4c8543f84b3bb6504f5f14857ecc
replaced=MESSAGE_ID=1052de6efdb04a759283fe05db85e78b
gave_up=MESSAGE_ID=e6588f47150c4fc48f35121e3e60fe33
zones_changed=MESSAGE_ID=8b4230ee8e2d444e97fe5528278f17c5

# Performs the steps of an installation that follow the copying of files.
install_service() {
  systemd-sysusers
  systemd-tmpfiles --create
  journalctl --update-catalog
  choose_catalog
}
choose_catalog() { echo "catalogs: [imanpath]" >>/etc/chimed/chimed.yaml; }

# explains_all: every warning of the service has an entry in the message catalog.
explains_all() {
  local ids
  ids=$(journalctl --quiet --output json --priority warning _COMM=chimed |
    sed -nE 's/.*"MESSAGE_ID" ?: ?"([0-9a-f]+)".*/\1/p; t; s/.*/none: &/p' | sort -u)
  [ -n "$ids" ] &&
    ! comm -23 <(echo "$ids") <(journalctl --list-catalog | cut -d ' ' -f 1 | sort) | grep .
}

# Ends the script; prints the journal before that if a check has failed.
finish() {
  [ "$failures" -eq 0 ] && exit
  echo "# The journal of the service"
  journalctl --output short-monotonic --unit chimed --lines 200
  exit 1
}
