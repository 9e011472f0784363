#!/usr/bin/env bash
# Runs a fleet of three nodes on one PostgreSQL server on this machine, to show failovers. Control-C
# ends everything and removes all files. Needs PostgreSQL 15, openssl, and chimed on the PATH.
set -euo pipefail

directory=$(mktemp -d "${TMPDIR:-/tmp}/chimed-fleet-XXXXXX")
names=(a b c)
declare -A nodes
chmod 755 "$directory"

programs=${POSTGRESQL:-/usr/lib/postgresql/15/bin}
[ -x "$programs/initdb" ] || {
  echo "error: no PostgreSQL in $programs: install postgresql-15, or set POSTGRESQL=DIRECTORY" >&2
  exit 1
}
# PostgreSQL refuses to run as root, so root runs it as the user nobody. If that user cannot execute
# the programs in their directory, they are copied.
as=()
if [ "$(id -u)" = 0 ]; then
  as=(setpriv --reuid=nobody --regid=nogroup --clear-groups)
  if ! "${as[@]}" test -x "$programs/initdb"; then
    cp -r "${programs%/lib/postgresql/15/bin}" "$directory/postgresql"
    programs=$directory/postgresql/lib/postgresql/15/bin
  fi
fi
mkdir -m 700 "$directory/server"
[ "$(id -u)" != 0 ] || chown nobody "$directory/server"

server() { (cd "$directory/server" && "${as[@]}" "$programs/$@" >>messages 2>&1); }

finish() {
  trap - EXIT INT TERM
  echo 'Ending the nodes and the server' >&2
  # kill fails for a node that has ended already; this is ignored.
  for node in "${nodes[@]}"; do kill "$node" 2>/dev/null || true; done
  wait
  server pg_ctl --pgdata=data --mode=fast stop || true
  rm -r "$directory"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

server initdb --auth=trust --username=chimed --encoding=UTF8 --locale=C.UTF-8 --pgdata=data
server pg_ctl --pgdata=data --wait --log=log \
  --options="-k '$directory/server' -c listen_addresses=" start

# Creates one authority, and one certificate for all three nodes, which have the same address.
cd "$directory"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 \
  -subj '/CN=chimed fleet' -keyout authority.key -out authority.pem 2>>messages
openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=node \
  -addext 'subjectAltName=IP:127.0.0.1' -addext 'extendedKeyUsage=serverAuth,clientAuth' \
  -keyout node.key -out node.csr 2>>messages
openssl x509 -req -in node.csr -copy_extensions copy -days 30 -CA authority.pem \
  -CAkey authority.key -out node.pem 2>>messages

port=${PORT:-7443}
for name in "${names[@]}"; do
  mkdir "$name"
  cat >"$name/chimed.yaml" <<END
state-directory: $directory/$name
socket: $directory/$name/socket
store: {postgresql: {url: "host=$directory/server user=chimed dbname=postgres"}}
fleet:
  name: $name
  listen: 127.0.0.1:$port
  certificate: $directory/node.pem
  key: $directory/node.key
  authority: $directory/authority.pem
catalogs: [imanpath]
sinks: {out: {type: jsonl, file: $directory/$name/deliveries}}
END
  port=$((port + 1))
done

chimed fleet init --config "$directory/a/chimed.yaml" >&2
for name in "${names[@]}"; do
  chimed serve --config "$directory/$name/chimed.yaml" 2>"$name/log" &
  nodes[$name]=$!
done
for name in "${names[@]}"; do
  until [ -S "$name/socket" ]; do
    kill -0 "${nodes[$name]}" 2>/dev/null || { cat "$name/log" >&2; exit 1; }
    sleep 0.1
  done
done

cat >&2 <<END
Three nodes are running; stop everything with Control-C. In a second terminal:

  cd $directory
  chimectl fleet --socket a/socket                # the shards of each node
  tail -F a/log b/log c/log a/deliveries b/deliveries c/deliveries &
  chimectl event milestone.reached --recipient u1 days=7 --socket a/socket   # any node accepts it
  kill -9 ${nodes[b]}                                 # b dies: the others take over within a second
  chimectl fleet --socket a/socket
  kill -STOP ${nodes[c]}; sleep 6; kill -CONT ${nodes[c]}    # c hangs, then joins again
  chimectl fleet --socket a/socket drain c        # c gives its shards away
END
wait
