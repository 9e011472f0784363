# The package on a bare Debian, from its first start to its purge.
source "$(dirname "$0")/common.sh"

check "it was enabled and is active" is ActiveState active
check "its socket is active" is_of chimed.socket ActiveState active
check "no Swift is here" eval '! command -v swift >/dev/null'
check "it says what it is doing" says StatusText pending
check "its version is told" eval 'chimed --version | grep -qE "^[0-9]+\.[0-9]+\.[0-9]+$"'
check "its configuration is sound" \
  chimed --check-config --config /etc/chimed/chimed.yaml --state-directory /var/lib/chimed
check "manual pages are there" \
  test -s /usr/share/man/man8/chimed.8.gz -a -s /usr/share/man/man1/chimectl.1.gz \
  -a -s /usr/share/man/man5/chimed.yaml.5.gz
check "completions are there" \
  test -s /usr/share/bash-completion/completions/chimectl \
  -a -s /usr/share/zsh/vendor-completions/_chimectl \
  -a -s /usr/share/fish/vendor_completions.d/chimectl.fish

milestone e1 amina "$(now)"
check "a reminder is delivered" reaches amina Sabr
chimectl event streak.started --recipient amina --id e2
before=$(pending amina)

dpkg --install /packages/next.deb >/dev/null 2>&1
check "the upgrade is installed" eval 'dpkg-query --show chimed | grep -q next'
check "it is active after the upgrade" is ActiveState active
check "nothing pending was lost" test "$(pending amina)" = "$before"
check "what was delivered is not delivered again" reaches amina Sabr
milestone e3 bilal "$(now)"
check "a reminder is delivered after the upgrade" reaches bilal Sabr

dpkg --remove chimed >/dev/null 2>&1
check "it is stopped when removed" eval '! is ActiveState active >/dev/null'
check "state and configuration stay" \
  test -e /var/lib/chimed/chimed.sqlite -a -e /etc/chimed/chimed.yaml
dpkg --install /packages/next.deb >/dev/null 2>&1
check "it is back as it was" test "$(pending amina)" = "$before"

dpkg --purge chimed >/dev/null 2>&1
check "a purge leaves no file" eval '[ -z "$(find / -xdev -path /inside -prune -o \
  -path /packages -prune -o -path /proc -prune -o -path /var/log/journal -prune -o \
  -name "*chime*" -print | grep -v "^/var/lib/dpkg\|^/run" | tee /dev/stderr)" ]'
finish
