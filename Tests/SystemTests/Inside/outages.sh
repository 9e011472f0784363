#!/usr/bin/env bash
# Tests outages that the service does not cause: the service of a sink is down, a sink does not
# answer, and the disk is full. Checks that nothing is lost and that each outage is reported. Then
# checks that secrets stay secret.
source /inside/common.sh

# The watchdog interval is short, so that a hang would be noticed soon.
mkdir -p /run/systemd/system/chimed.service.d
cat >/run/systemd/system/chimed.service.d/inside.conf <<'UNIT'
[Service]
LoadCredential=hook:/etc/credstore/hook
WatchdogSec=4s
UNIT
install_service
secret=whsec_$(head -c 32 /dev/urandom | base64 --wrap 0)
install -m 600 <(echo "$secret") /etc/credstore/hook
cat >/etc/chimed/chimed.yaml <<'YAML'
catalogs: [imanpath, urbannest]
sinks:
  journal: {type: journal}
  hook:
    {type: webhook, url: "http://127.0.0.1:8500/", secret: {credential: hook},
     allow: [127.0.0.1/32], deadline: 1s}
  slow: {type: jsonl, file: /var/lib/chimed/pipe}
routes: {push: [journal], email: [hook], sms: [slow], inapp: [journal]}
YAML
# Mounts a separate disk for the state.
mkdir -p /var/lib/chimed
mount -t tmpfs -o size=12m,mode=700,uid=chimed,gid=chimed small /var/lib/chimed
mkfifo -m 600 /var/lib/chimed/pipe
# This process opens the pipe and does not read it yet.
exec {reader}<>/var/lib/chimed/pipe
chown chimed:chimed /var/lib/chimed/pipe

request() { # request ID RECIPIENT CATEGORY
  chimectl event notification.requested --id "$1" --recipient "$2" \
    "category=$3" "title=Note" "body=A note." 2>&1
}
metric() { # metric LINE
  curl --silent --unix-socket /run/chimed/chimed.sock http://localhost/metrics | grep -qx -- "$1"
}
shows_in_time() { # shows_in_time LINE
  for _ in {1..100}; do
    metric "$1" && return
    read -rt 0.1 <> <(:)
  done
  metric "$1" || { echo "there is no metric $1"; return 1; }
}
receives() { # receives RECIPIENT
  for _ in {1..150}; do
    grep -qsx "$1" /run/received && return
    read -rt 0.1 <> <(:)
  done
  return 1
}
# Waits for twice the watchdog interval.
waits_for_the_watchdog() { read -rt 8 <> <(:) || true; }
begin_receiver() {
  python3 /inside/receiver.py /etc/credstore/hook /run/received &
  receiver=$!
}
end_receiver() { kill $receiver && wait $receiver; true; }
begin_receiver
check "starts" systemctl start chimed

echo "# A receiver that works"
check "accepts an event for the receiver" request g1 greta INVOICES
check "delivers the notification, signed with the secret" receives greta

# These events cause more deliveries than an unread pipe can hold.
for number in {1..600}; do
  echo "{\"specversion\":\"1.0\",\"id\":\"s$number\",\"source\":\"chimectl\",\"type\":\
\"notification.requested\",\"subject\":\"sam$number\",\
\"data\":{\"category\":\"OTP\",\"title\":\"Note\",\"body\":\"A note.\"}}"
done >/run/events
chimectl events /run/events

echo "# A receiver that is down"
end_receiver
check "accepts an event for the receiver" request h1 hanna INVOICES
check "reports that the sink is failing" has_entries 1 "$failing" CHIME_SINK=hook
check "a metric shows the failure" shows_in_time 'chimed_sink_failing{sink="hook"} 1'
check "the status shows the failure" matches_in_time StatusText 'hook fails'
milestone m1 u1 "$(now)"
check "another sink delivers meanwhile" reaches u1 Sabr
begin_receiver
check "delivers the waiting notification when the receiver is back" receives hanna
check "reports that the sink works again" has_entries 1 "$recovered" CHIME_SINK=hook
check "the metric shows that the sink works again" \
  shows_in_time 'chimed_sink_failing{sink="hook"} 0'
check "was not restarted" is NRestarts 0

echo "# A sink that does not answer"
check "reports that the sink takes long to answer" has_entries 1 "$slow" CHIME_SINK=slow
check "the status shows that the sink takes long to answer" \
  matches_in_time StatusText 'slow takes long to answer'
milestone m3 u3 "$(now)"
check "another sink delivers meanwhile" reaches u3 Sabr
waits_for_the_watchdog
check "was not restarted" is NRestarts 0
timeout 20 head -n 600 /var/lib/chimed/pipe >/run/piped
check "sends all deliveries" [ "$(grep -o '"sam[0-9]*"' /run/piped | sort -u | wc -l)" -eq 600 ]
check "reports that the sink has answered" has_entries 1 "$recovered" CHIME_SINK=slow

# From here on the receiver accepts every request and never answers.
touch /run/received.silent
request i1 irene INVOICES

echo "# A disk that is full"
soon=$(date --utc --date '3 seconds' +%FT%T.%3NZ)
chimectl event notification.requested --id d0 --recipient dora category=BOOKING_UPDATES \
  title=Note body=Due. "at=$soon" >/dev/null
dd if=/dev/zero of=/var/lib/chimed/filler bs=4k status=none 2>/dev/null
truncate --size=-200K /var/lib/chimed/filler
accepted=()
refused=
for number in {1..400}; do
  answer=$(curl --silent --output /run/problem --write-out '%{http_code}' \
    --unix-socket /run/chimed/chimed.sock -H 'Content-Type: application/cloudevents+json' \
    --data "{\"specversion\":\"1.0\",\"id\":\"d$number\",\"source\":\"chimectl\",
      \"type\":\"milestone.reached\",\"subject\":\"d$number\",\"time\":\"$(now)\",
      \"data\":{\"days\":7}}" http://localhost/v1/events)
  [ "$answer" = 202 ] && { accepted+=("$number"); continue; }
  refused=$answer
  break
done
echo "#   the service accepted ${#accepted[@]} events before it refused one"
check "refuses an event with 507" [ "$refused" = 507 ]
check "the answer names the problem" grep -q 'storage-full' /run/problem
check "the status shows the problem" \
  matches_in_time StatusText 'disk is full.*recipients due: '
check "the journal reports the problem" has_entries 1 "$full"
check "a metric shows the problem" shows_in_time 'chimed_storage_failing 1'
# chimectl exits with 1 because the service is not healthy.
answers() { chimectl status || [ $? = 1 ]; }
check "answers queries" answers
waits_for_the_watchdog
check "was not restarted" is NRestarts 0
check "delivers nothing that it cannot record" \
  has_no_entries CHIME_RECIPIENT=dora MESSAGE="Note: Due."
rm /var/lib/chimed/filler
check "continues by itself" has_entries 1 "$freed"
check "the metric shows that the disk has space again" shows_in_time 'chimed_storage_failing 0'
check "delivers the notification that was due" \
  has_entries 1 CHIME_RECIPIENT=dora MESSAGE="Note: Due."
has_delivered_all() {
  local number
  for number in "${accepted[@]}"; do
    reaches "d$number" Sabr || { echo "d$number is lost"; return 1; }
  done
}
check "has lost no accepted event" has_delivered_all
check "accepts the refused event" milestone "d$number" "d$number" "$(now)"
check "has reported the full disk once" \
  [ "$(journalctl --quiet --output cat "$full" | wc -l)" -eq 1 ]
check "reports that the receiver does not answer" \
  has_entries 1 CHIME_SINK=hook CHIME_RECIPIENT=irene "$retried"
check "was not restarted" is NRestarts 0

echo "# A secret"
main=/proc/$(property MainPID)
bare=${secret#whsec_}
has_no_secret() { ! grep -rqsaF -e "$bare" "$@"; }
check "the secret is found in its file" eval "! has_no_secret /etc/credstore"
check "the secret is not in the environment" has_no_secret "$main/environ"
check "the secret is not in the arguments" has_no_secret "$main/cmdline"
check "the secret is not in the journal" has_no_secret <(journalctl --output export)
check "the secret is not in systemd's properties" has_no_secret <(systemctl show chimed)
check "the secret is not in the state" has_no_secret /var/lib/chimed
check "the secret is not in the service's output" has_no_secret \
  <(chimectl status --json; curl --silent --unix-socket /run/chimed/chimed.sock \
    http://localhost/metrics)
check "only root can read the directory of secrets" [ "$(stat --format %a /etc/credstore)" = 700 ]
check "core dumps are off" grep -qE '^Max core file size +0 +0 ' "$main/limits"
kill -SEGV "$(property MainPID)"
check "restarts after a crash" matches_in_time NRestarts '^1$'
leaves_no_core() { [ -z "$(find / -xdev -name 'core*' -newer /run/problem -type f -size +1M)" ]; }
check "leaves no core dump" leaves_no_core
end_receiver
check "every warning has an explanation" explains_all
finish
