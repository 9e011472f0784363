# Creates the keys and certificates of push_peer.py and of its clients, in the current directory:
# authority.pem signs peer.pem, and old.pem, which has expired. account.key is for Google,
# provider.key for Apple. No peer accepts signatures by stranger.key.
set -e
curve="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
openssl req -x509 $curve -keyout authority.key -out authority.pem -days 2 -subj /CN=Authority
openssl req $curve -keyout peer.key -out request -subj /CN=peer
printf 'subjectAltName=DNS:localhost' >extensions
openssl x509 -req -in request -CA authority.pem -CAkey authority.key -CAcreateserial \
  -days 2 -extfile extensions -out peer.pem
openssl x509 -req -in request -CA authority.pem -CAkey authority.key -CAcreateserial \
  -days -1 -extfile extensions -out old.pem
openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out account.key
openssl pkey -in account.key -pubout -out account.pub
openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out provider.key
openssl pkey -in provider.key -pubout -out provider.pub
openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out stranger.key
