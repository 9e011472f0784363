# Builds, checks, runs and installs chimed; `make help` lists the targets.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PREFIX ?= /usr
BENCH ?=
# The loopback port of `make run`.
PORT ?= 7411
# The number of seeds of `make faults`, and the first seed, which is random if empty.
SEEDS ?= 1000
FROM ?=
# The number of seeds of `make faults` that simulate hundreds of recipients each.
TOWNS ?= 120
# The duration of `make soak` and `make parts` in seconds, and the seed, which is random if empty.
TIME ?= 60
SEED ?=
# The number of events that `make bench-fleet` sends in batches; 100,000 if empty.
COUNT ?=
# The number of seeds of `make test`. It always uses the same seeds, so that only a change of the
# code causes a new failure.
TEST_SEEDS := 200
# A process of tests is killed if for so many minutes none of its tests starts or ends.
TEST_MINUTES := 25
# The number of processes that run tests at the same time. Most tests wait for programs.
TEST_WORKERS ?= $(shell echo $$(($$(nproc) + 1)))
# The suites that `make test` leaves out, as a regular expression; none if empty.
SKIP_TESTS ?=
# The systemd version that the units are installed for; by default this machine's, or 0 without
# systemd.
SYSTEMD ?= $(shell systemctl --version 2>/dev/null | awk 'NR == 1 { print $$2 }' | grep . || echo 0)
# The version of the Python package with the dates for `make holidays`.
HOLIDAYS_VERSION ?= 0.109
# The version of the tool that tests the HTTP API by its OpenAPI description.
SCHEMATHESIS_VERSION ?= 4.32.5
# The versions of the packages that emulate push services.
H2_VERSION ?= 4.4.1
PYJWT_VERSION ?= 2.15.1
# The version of the package that verifies webhook signatures.
STANDARDWEBHOOKS_VERSION ?= 1.1.0
# The versions of a client generator, the CloudEvents SDK, and a decoder of web pushes.
OPENAPI_CLIENT_VERSION ?= 0.29.1
CLOUDEVENTS_VERSION ?= 2.2.0
HTTP_ECE_VERSION ?= 1.2.1
# The version of the PostgreSQL client in an example.
PSYCOPG_VERSION ?= 3.3.9
# The version of the package that validates manifests for Kubernetes, with the schemas.
KUBERNETES_VALIDATE_VERSION ?= 1.37.0
# The versions of the packages that validate files by the JSON Schemas.
JSONSCHEMA_VERSION ?= 4.26.0
PYYAML_VERSION ?= 6.0.3
# The versions of the packages that read the calendar feed.
ICALENDAR_VERSION ?= 7.3.2
VOBJECT_VERSION ?= 0.9.9
# The version of the mail server in the tests.
AIOSMTPD_VERSION ?= 1.4.6
# The versions of the browser driver and of the accessibility checker.
PLAYWRIGHT_VERSION ?= 1.65.2
AXE_PLAYWRIGHT_VERSION ?= 0.1.8

BUILD_PACKAGES := ca-certificates g++ git libcctz-dev libcurl4-openssl-dev libpq-dev \
  libsimdjson-dev libsqlite3-dev libssl-dev libsystemd-dev pkg-config tzdata zlib1g-dev
TEST_PACKAGES := curl dbus-daemon libxml2 openssl python3 python3-venv util-linux
ifeq ($(shell id -u),0)
# The tests that boot their own systemd, or run the OCI image, need root.
TEST_PACKAGES += binutils crun dbus iproute2 systemd systemd-container umoci
endif

# The browser for tests of the console; not available on every machine.
BROWSER_PACKAGES := chromium fonts-noto-core

# The additional packages for `make deb`.
PACKAGING_PACKAGES := binutils dpkg-dev
# The additional packages for `make image`.
IMAGE_PACKAGES := binutils ca-certificates python3 tzdata
# The packages that test the Debian package.
PACKAGE_TEST_PACKAGES := debootstrap lintian systemd-container
# The maintainer of the Debian package.
MAINTAINER ?= The chimed developers <developers@chimed.test>
# The OCI image.
IMAGE ?= .build/image/chimed-$(VERSION).oci.tar
VERSION := $(shell sed -n 's/.*current = "\(.*\)"/\1/p' Sources/Reminders/Version.swift)

BIN := $(CURDIR)/.build/release
PROGRAMS := $(BIN)/chimed $(BIN)/chimectl
ROOT = $(DESTDIR)$(PREFIX)
MANUAL := .build/manual
PACKAGING := config/packaging
# Programs from another BIN=... are installed unchanged, without manual pages.
MANUAL_IF_OURS := $(if $(filter file,$(origin BIN)),manual)
COMPLETIONS := bash-completion/completions zsh/vendor-completions fish/vendor_completions.d
UNITS := $(wildcard systemd/*.service systemd/*.socket)
RELOAD_DROPIN = $(ROOT)/lib/systemd/system/chimed.service.d/50-notify-reload.conf
SWIFT_TEST := swift test --disable-xctest
RUN_TESTS := python3 -B Tests/run-tests.py $(TEST_MINUTES) $(TEST_WORKERS)
# Tests that start programs, servers and containers, and wait for them.
SLOW_TESTS := ^(APITests|SinksTests|SystemTests)[.]
# If this PostgreSQL is installed, none is fetched.
POSTGRESQL := /usr/lib/postgresql/15/bin/pg_ctl
# The directory of tools that only tests use. They are not installed.
TOOLS := .build/tools
# No library looks up symbols of the program, so they are not exported.
LINKED := -Xlinker --no-export-dynamic
# Data is made read-only after its relocation at the start, and the stack is not executable. Swift's
# executables are position-independent by default.
HARDENED := -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now -Xlinker -z -Xlinker noexecstack
# The C code of the project and of its packages detects an overwritten stack.
HARDENED += -Xcc -fstack-protector-strong
RELEASE := swift build --configuration release --static-swift-stdlib $(HARDENED) $(LINKED)
FORMATTED := --recursive --parallel Sources Tests Package.swift

# $(call install-missing,PACKAGES): installs missing packages. Runs apt only if dpkg lacks one.
define install-missing
@known=$$(dpkg-query --show --showformat '$${db:Status-Status} $${Package}\n' $(1) 2>&1 || true)
missing=
for package in $(1); do
  grep -qxF "installed $$package" <<<"$$known" || missing+=" $$package"
done
[ -n "$$missing" ] || exit 0
sudo=$$([ "$$(id -u)" = 0 ] || echo sudo)
echo "Installing missing packages with $${sudo:+sudo }apt-get:$$missing" >&2
if [ -n "$$sudo" ] && ! command -v sudo >/dev/null; then
  echo "error: this requires root, but there is no sudo: install these packages as root" >&2
  exit 1
fi
apt="$$sudo env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120"
$$apt update </dev/null >&2
$$apt install --yes --no-install-recommends $$missing </dev/null >&2
endef

.PHONY: help manual deb image test-deb test-image deps deps-test deps-browser deps-holidays \
  deps-deb deps-image deps-test-deb tools build release run fleet soak parts test check faults \
  mutants lint format bench bench-peers bench-fleet bench-console pictures zones holidays \
  install uninstall clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' Makefile

deps: ## install missing Debian packages for the build
	@if ! command -v swift >/dev/null; then
	  echo "error: no swift on PATH: install Swift 6.3 (https://www.swift.org/install/linux)" >&2
	  exit 1
	fi
	$(call install-missing,$(BUILD_PACKAGES))

deps-test: deps ## install missing Debian packages for the tests
	$(call install-missing,$(TEST_PACKAGES))

deps-browser:
	$(call install-missing,$(BROWSER_PACKAGES))

deps-holidays:
	$(call install-missing,python3 python3-venv)

build: deps ## build for debugging
	swift build
	ln --symbolic --force chimed "$$(swift build --show-bin-path)/chimectl"

release: deps ## build as installed: optimized, with Swift's libraries linked in
	@$(RELEASE) --product chimed >&2
	ln --symbolic --force chimed $(BIN)/chimectl

run: release ## serve in the foreground; deliveries are JSON lines on standard output
	@printf '%s\n' 'Serving; stop with Control-C. In a second terminal:' \
	  '  export PATH=$(BIN):$$PATH' '  chimectl --help' >&2
	mkdir -p .chimed
	# Print the console's address when the service is running.
	show() {
	  for attempt in {1..100}; do
	    sleep 0.1
	    address=$$($(BIN)/chimectl console 2>/dev/null) || continue
	    echo "The console's address, valid for one sign-in within a minute: $$address" >&2
	    echo "A reminder at once: chimectl event notification.requested --recipient u1" \
	      "category=LESSON title=Hello body=Welcome" >&2
	    return
	  done
	}
	show &
	CHIMED_CATALOGS=$(CURDIR)/config/catalogs CHIMED_HOLIDAYS=$(CURDIR)/config/holidays \
	  exec $(BIN)/chimed serve \
	  --state-directory $(CURDIR)/.chimed --listen $(PORT) --catalog imanpath --sink jsonl:-

fleet: release ## run three nodes on a temporary PostgreSQL, to show failovers
	@[ -x $(POSTGRESQL) ] || $(MAKE) $(TOOLS)/postgresql
	for place in $(dir $(POSTGRESQL)) $(CURDIR)/$(TOOLS)/postgresql$(dir $(POSTGRESQL)); do
	  [ ! -x $$place/initdb ] || programs=$${place%/}
	done
	PATH=$(BIN):$$PATH CHIMED_CATALOGS=$(CURDIR)/config/catalogs POSTGRESQL=$$programs \
	  exec bash config/examples/fleet.sh

# $(call python-tool,DIRECTORY/PROGRAM,PACKAGES): installs packages into a separate environment,
# completely or not at all.
define python-tool
$(TOOLS)/$(subst /,/bin/,$(1)):
	@echo "Fetching $(strip $(2)) into $(TOOLS)" >&2
	at=$(TOOLS)/$(dir $(1))
	python3 -m venv $$$$at
	$$$${at}bin/pip install --quiet $(strip $(2)) || { rm -r $$$$at; exit 1; }
endef

# $(call packaged-tool,PROGRAM,PACKAGES): extracts a program from its package without installing a
# service. With a third argument it extracts whole packages under that name.
define packaged-tool
$(TOOLS)/$(notdir $(1)):
	@echo "Fetching $(notdir $(1)) into $(TOOLS)" >&2
	directory=$$$$(mktemp -d)
	trap 'rm -rf "$$$$directory"' EXIT
	cd "$$$$directory"
	sudo=$$$$([ "$$$$(id -u)" = 0 ] || echo sudo)
	apt-get download --quiet=2 $(2) || {
	  $$$$sudo apt-get --quiet=2 update </dev/null
	  apt-get download --quiet=2 $(2)
	}
	for package in $(2); do dpkg-deb --extract "$$$$package"_*.deb ./$(3); done
	mkdir -p $(CURDIR)/$(TOOLS)
	mv $(1) $(CURDIR)/$(TOOLS)
endef

$(eval $(call python-tool,schemathesis/schemathesis,schemathesis==$(SCHEMATHESIS_VERSION)))
$(eval $(call python-tool,push/python,h2==$(H2_VERSION) pyjwt[crypto]==$(PYJWT_VERSION)))
$(eval $(call python-tool,standardwebhooks/python,standardwebhooks==$(STANDARDWEBHOOKS_VERSION)))
$(eval $(call python-tool,openapi/openapi-python-client,\
  openapi-python-client==$(OPENAPI_CLIENT_VERSION) cloudevents==$(CLOUDEVENTS_VERSION)))
$(eval $(call python-tool,webpush/python,http_ece==$(HTTP_ECE_VERSION) \
  pyjwt[crypto]==$(PYJWT_VERSION)))
$(eval $(call python-tool,aiosmtpd/aiosmtpd,aiosmtpd==$(AIOSMTPD_VERSION)))
$(eval $(call python-tool,browser/python,playwright==$(PLAYWRIGHT_VERSION) \
  axe-playwright-python==$(AXE_PLAYWRIGHT_VERSION)))
$(eval $(call python-tool,psycopg/python,psycopg[binary]==$(PSYCOPG_VERSION)))
$(eval $(call python-tool,kubernetes/kubernetes-validate,\
  kubernetes-validate==$(KUBERNETES_VALIDATE_VERSION)))
$(eval $(call python-tool,jsonschema/python,jsonschema==$(JSONSCHEMA_VERSION) \
  pyyaml==$(PYYAML_VERSION)))
$(eval $(call python-tool,calendars/python,icalendar==$(ICALENDAR_VERSION) \
  vobject==$(VOBJECT_VERSION)))
$(eval $(call packaged-tool,usr/sbin/nginx,nginx))
$(eval $(call packaged-tool,usr/bin/promtool,prometheus))
$(eval $(call packaged-tool,usr/bin/prometheus,prometheus))
$(eval $(call packaged-tool,postgresql,postgresql-15 postgresql-client-15,postgresql))

tools: $(TOOLS)/schemathesis/bin/schemathesis $(TOOLS)/push/bin/python \
  $(TOOLS)/standardwebhooks/bin/python $(TOOLS)/aiosmtpd/bin/aiosmtpd $(TOOLS)/promtool \
  $(TOOLS)/prometheus \
  $(TOOLS)/openapi/bin/openapi-python-client $(TOOLS)/webpush/bin/python \
  $(TOOLS)/browser/bin/python $(TOOLS)/psycopg/bin/python $(TOOLS)/nginx \
  $(TOOLS)/kubernetes/bin/kubernetes-validate $(TOOLS)/jsonschema/bin/python \
  $(TOOLS)/calendars/bin/python

test: deps-test ## build and run all tests
	@$(MAKE) deps-browser ||
	  echo 'No Chromium can be installed: skipping the browser tests of the console' >&2
	$(MAKE) tools
	@[ -x $(POSTGRESQL) ] || $(MAKE) $(TOOLS)/postgresql ||
	  echo 'No PostgreSQL is available: skipping the tests of its store' >&2
	swift build --build-tests
	python3 Tests/Faults/mutants.py --check
	bin="$$(swift build --show-bin-path)"
	$(RUN_TESTS) $(if $(SKIP_TESTS),--skip '$(SKIP_TESTS)') -- "$$bin/chimed-faults" --from 1 \
	  --seeds $(TEST_SEEDS) --sweep 25 --towns 2 --answered 20 --fleets $(TEST_SEEDS)

check: lint deps-test ## check formatting, house rules and the fast tests
	swift build --build-tests
	$(RUN_TESTS) --skip '$(SLOW_TESTS)'

faults: deps ## simulate weeks with failing disks, clocks, sinks and fleets; SEEDS=1000 FROM=seed
	@$(RELEASE) --product chimed-faults >&2
	$(BIN)/chimed-faults --seeds $(SEEDS) --sweep 1 --towns $(TOWNS) --answered 200 \
	  --fleets 20000 $(if $(FROM),--from $(FROM))

soak: release ## kill, stop, drain and crash a fleet under load, and check; TIME=seconds SEED=seed
	@[ -x $(POSTGRESQL) ] || $(MAKE) $(TOOLS)/postgresql
	python3 -B Tests/SystemTests/Soak/soak.py --seconds $(TIME) $(if $(SEED),--seed $(SEED))

parts: release ## let parts of a service fail and recover under load; TIME=seconds SEED=seed
	@[ -x $(POSTGRESQL) ] || $(MAKE) $(TOOLS)/postgresql ||
	  echo 'No PostgreSQL is available: testing the store on a file only' >&2
	python3 -B Tests/SystemTests/Parts/parts.py --seconds $(TIME) $(if $(SEED),--seed $(SEED))

mutants: deps-test ## break the service on purpose, and check that `make faults` finds it
	python3 Tests/Faults/mutants.py

test-deb: deb deps-test-deb ## check the package on a bare Debian 12 (needs root and a mirror)
	lintian --fail-on error,warning .build/deb/chimed_*.deb
	bash Tests/SystemTests/install-package.sh .build/deb/chimed_$(VERSION)_*.deb

test-image: $(PROGRAMS) deps-test ## run the OCI image in a container of crun (needs root)
	bash Tests/SystemTests/Image/image.sh $(BIN)

lint: deps ## check formatting and house rules
	@if ! swift format lint --strict $(FORMATTED); then
	  echo 'error: not formatted by .swift-format; hint: make format corrects most of it' >&2
	  exit 1
	fi
	$(SWIFT_TEST) --filter TidyTests

format: ## format all Swift code in place
	swift format --in-place $(FORMATTED)

bench: release ## run the benchmarks, with arguments from BENCH=...
	@$(RELEASE) --product benchmarks >&2
	$(BIN)/benchmarks $(BENCH)

bench-peers: release ## measure the same loads on Redis, beanstalkd and SQLite, if installed
	@$(RELEASE) --product benchmarks >&2
	BIN=$(BIN) python3 -B Tests/Benchmarks/Peers/peers.py

bench-fleet: release ## compare one to three nodes on PostgreSQL with a file store; COUNT=100000
	@[ -x $(POSTGRESQL) ] || $(MAKE) $(TOOLS)/postgresql
	python3 -B Tests/Benchmarks/Fleet/fleet_benchmark.py $(if $(COUNT),--count $(COUNT))

bench-console: release deps-browser $(TOOLS)/browser/bin/python ## time the console in Chromium
	BIN=$(BIN) $(TOOLS)/browser/bin/python -B Tests/SystemTests/Console/console_benchmark.py

pictures: release deps-browser $(TOOLS)/browser/bin/python ## take pictures of the console's pages
	BIN=$(BIN) $(TOOLS)/browser/bin/python -B Tests/SystemTests/Console/console_pictures.py \
	  .build/pictures

zones: deps-test ## check every zone against the system's tz database, exhaustively
	CHIMED_ZONES=exhaustive $(SWIFT_TEST) --filter ZoneinfoOracle

holidays: deps-holidays ## generate config/holidays from a Python package
	python3 -m venv .build/holidays
	.build/holidays/bin/pip install --quiet holidays==$(HOLIDAYS_VERSION)
	.build/holidays/bin/python -B Tests/HolidaysTests/generate_holidays.py config/holidays

$(PROGRAMS) &:
	@$(MAKE) release

# These pages are generated from the programs' help texts.
$(MANUAL)/chimectl.1 $(MANUAL)/chimed.8 &: $(PROGRAMS)
	@swift build --product generate-manual >&2
	mkdir -p $(MANUAL)
	generate="$$(swift build --show-bin-path)/generate-manual"
	"$$generate" $(BIN)/chimectl --section 1 --output-directory $(MANUAL)
	"$$generate" $(BIN)/chimed --section 8 --output-directory $(MANUAL)
	# Empty lines cause warnings in manual pages.
	sed -i '/^$$/d' $(MANUAL)/chimectl.1 $(MANUAL)/chimed.8

manual: $(MANUAL)/chimectl.1 $(MANUAL)/chimed.8 ## generate the manual pages of the programs

install: $(PROGRAMS) $(MANUAL_IF_OURS) ## install the build below DESTDIR and PREFIX (/usr)
	install -D -t $(ROOT)/bin $(BIN)/chimed
	ln --symbolic --force chimed $(ROOT)/bin/chimectl
	install -D -m 644 -t $(ROOT)/lib/systemd/system $(UNITS)
	sed -i 's|/usr/bin/chime|$(PREFIX)/bin/chime|' $(UNITS:systemd/%=$(ROOT)/lib/systemd/system/%)
	if [ "$(SYSTEMD)" -ge 253 ]; then install -D -m 644 systemd/notify-reload.conf $(RELOAD_DROPIN); fi
	install -D -m 644 systemd/chimed.sysusers $(ROOT)/lib/sysusers.d/chimed.conf
	install -D -m 644 systemd/chimed.tmpfiles $(ROOT)/lib/tmpfiles.d/chimed.conf
	install -D -m 644 -t $(ROOT)/lib/systemd/catalog systemd/chimed.catalog
	install -D -m 644 -t $(ROOT)/share/chimed/catalogs config/catalogs/*.yaml
	install -D -m 644 -t $(ROOT)/share/chimed/holidays config/holidays/*.ics
	mkdir -p $(ROOT)/share/chimed/schemas
	for document in catalog configuration; do
	  $(BIN)/chimed schema $$document >$(ROOT)/share/chimed/schemas/$$document.json
	done
	install -D -m 644 -t $(ROOT)/share/man/man5 config/manual/*.5
	install -D -m 644 -t $(ROOT)/share/man/man7 config/manual/*.7
	install -D -m 644 -t $(ROOT)/share/doc/chimed README.md
	install -D -m 644 -t $(ROOT)/share/doc/chimed/examples $(wildcard config/examples/*.*) \
	  config/monitoring/alerts.yaml config/monitoring/dashboard.json
	for example in settings-page swift-client; do
	  install -D -m 644 -t $(ROOT)/share/doc/chimed/examples/$$example config/examples/$$example/*
	done
	if [ -n "$(MANUAL_IF_OURS)" ]; then
	  install -D -m 644 -t $(ROOT)/share/man/man1 $(MANUAL)/chimectl.1
	  install -D -m 644 -t $(ROOT)/share/man/man8 $(MANUAL)/chimed.8
	fi
	mkdir -p $(addprefix $(ROOT)/share/,$(COMPLETIONS))
	for program in chimed chimectl; do
	  complete() { $(BIN)/$$program --generate-completion-script "$$1"; }
	  # Completion scripts are sourced, not executed.
	  complete bash | sed '1{/^#!/d}' >$(ROOT)/share/bash-completion/completions/$$program
	  complete zsh >$(ROOT)/share/zsh/vendor-completions/_$$program
	  complete fish >$(ROOT)/share/fish/vendor_completions.d/$$program.fish
	done
	# Never overwrite the operator's configuration.
	[ -e $(DESTDIR)/etc/chimed/chimed.yaml ] ||
	  install -D -m 644 config/chimed.yaml $(DESTDIR)/etc/chimed/chimed.yaml
	[ -n "$(DESTDIR)" ] || echo 'Next, as root: systemd-sysusers; systemd-tmpfiles --create;' \
	  'journalctl --update-catalog;' \
	  'systemctl daemon-reload; systemctl enable --now chimed'

uninstall: ## remove installed files; state and configuration stay
	rm -f $(ROOT)/bin/chimed $(ROOT)/bin/chimectl $(ROOT)/lib/sysusers.d/chimed.conf \
	  $(ROOT)/lib/tmpfiles.d/chimed.conf $(RELOAD_DROPIN) \
	  $(UNITS:systemd/%=$(ROOT)/lib/systemd/system/%) $(ROOT)/lib/systemd/catalog/chimed.catalog
	rm -f $(ROOT)/share/man/man1/chimectl.1 $(ROOT)/share/man/man8/chimed.8 \
	  $(patsubst config/manual/%,$(ROOT)/share/man/man5/%,$(wildcard config/manual/*.5)) \
	  $(patsubst config/manual/%,$(ROOT)/share/man/man7/%,$(wildcard config/manual/*.7)) \
	  $(foreach name,chimed chimectl,$(ROOT)/share/bash-completion/completions/$(name) \
	    $(ROOT)/share/zsh/vendor-completions/_$(name) \
	    $(ROOT)/share/fish/vendor_completions.d/$(name).fish)
	rm -rf $(ROOT)/share/chimed $(ROOT)/share/doc/chimed

deps-deb:
	$(call install-missing,$(PACKAGING_PACKAGES))

deps-image:
	$(call install-missing,$(IMAGE_PACKAGES))

deps-test-deb:
	$(call install-missing,$(PACKAGE_TEST_PACKAGES))

deb: release deps-deb ## build a Debian package in .build/deb
	@stage=.build/deb/stage
	rm -rf .build/deb
	mkdir -p $$stage/DEBIAN .build/deb/debian
	$(MAKE) install DESTDIR=$(CURDIR)/$$stage PREFIX=/usr SYSTEMD=0
	strip --strip-all --remove-section=.comment $$stage/usr/bin/chimed
	architecture=$$(dpkg --print-architecture)
	# dpkg-shlibdeps requires a source package's control file, but uses nothing from it.
	printf 'Source: chimed\n\nPackage: chimed\nArchitecture: any\n' >.build/deb/debian/control
	depends=$$(cd .build/deb && dpkg-shlibdeps -O stage/usr/bin/chimed | sed 's/^shlibs:Depends=//')
	size=$$(du --summarize --block-size=1024 --exclude=DEBIAN $$stage | cut -f1)
	fill() {
	  sed -e 's|@VERSION@|$(VERSION)|' -e "s|@ARCHITECTURE@|$$architecture|" \
	    -e 's|@MAINTAINER@|$(MAINTAINER)|' -e "s|@DEPENDS@|$$depends|" -e "s|@SIZE@|$$size|" \
	    -e "s|@DATE@|$$(date --rfc-email)|" "$$1"
	}
	documents=$$stage/usr/share/doc/chimed
	mkdir -p $$documents
	fill $(PACKAGING)/changelog | gzip --best --no-name >$$documents/changelog.gz
	install -m 644 $(PACKAGING)/copyright $$documents/copyright
	install -D -m 644 $(PACKAGING)/lintian-overrides $$stage/usr/share/lintian/overrides/chimed
	gzip --best --no-name $$stage/usr/share/man/man*/*
	fill $(PACKAGING)/control >$$stage/DEBIAN/control
	install -m 644 $(PACKAGING)/conffiles $$stage/DEBIAN/conffiles
	install -m 755 -t $$stage/DEBIAN $(addprefix $(PACKAGING)/,postinst prerm postrm)
	(cd $$stage && find usr -type f | sort | xargs md5sum >DEBIAN/md5sums)
	find $$stage -type d -exec chmod 755 {} +
	dpkg-deb --root-owner-group --build $$stage .build/deb/chimed_$(VERSION)_$$architecture.deb

# The files in the image have the time of the last commit.
image: export SOURCE_DATE_EPOCH ?= \
  $(shell git log --max-count=1 --format=%ct 2>/dev/null || echo 0)
# Programs from another BIN=... are packed unchanged.
image: $(if $(filter file,$(origin BIN)),release) deps-image ## build an OCI image in .build/image
	@mkdir -p $(dir $(IMAGE))
	python3 -B $(PACKAGING)/image.py $(BIN)/chimed $(VERSION) $(IMAGE)

clean: ## remove built files, but not downloaded ones
	swift package clean
