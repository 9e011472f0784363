// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

/// Optimizes a module in debug builds as well, but keeps its assertions: most of the time of the
/// tests is spent in planning, deciding and storing. Packages cannot depend on such a module, so no
/// library product may contain one.
let optimized: [SwiftSetting] = [
  .unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))
]

/// A module of the project. Its dependencies are written out, because they are the architecture.
func module(
  _ name: String, in path: String? = nil, uses dependencies: [Target.Dependency] = [],
  settings: [SwiftSetting] = []
) -> Target {
  .target(name: name, dependencies: dependencies, path: path, swiftSettings: strict + settings)
}

/// A thin C or C++ wrapper of a system library. Where the compiler knows buffer sizes, calls of the
/// C library check them.
func shim(_ name: String, in path: String? = nil, links libraries: [String]) -> Target {
  .target(
    name: name, path: path,
    cSettings: [.define("_FORTIFY_SOURCE", to: "2", .when(configuration: .release))],
    cxxSettings: [.define("_FORTIFY_SOURCE", to: "2", .when(configuration: .release))],
    linkerSettings: libraries.map { .linkedLibrary($0) })
}

func program(
  _ name: String, in path: String? = nil, uses dependencies: [Target.Dependency],
  beside files: [String] = []
) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, path: path, exclude: files, swiftSettings: strict)
}

func tests(
  _ name: String, of dependencies: [Target.Dependency], beside files: [String] = [],
  settings: [SwiftSetting] = []
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, exclude: files, swiftSettings: strict + settings)
}

let argumentParser = Target.Dependency.product(
  name: "ArgumentParser", package: "swift-argument-parser")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let lifecycle = Target.Dependency.product(
  name: "ServiceLifecycle", package: "swift-service-lifecycle")
let lifecycleTestKit = Target.Dependency.product(
  name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let mustache = Target.Dependency.product(name: "Mustache", package: "swift-mustache")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioHPACK = Target.Dependency.product(name: "NIOHPACK", package: "swift-nio-http2")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioHTTP2 = Target.Dependency.product(name: "NIOHTTP2", package: "swift-nio-http2")
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")

let package = Package(
  name: "chimed",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "ChimedClient", targets: ["ChimedClient"]),
    .executable(name: "chimed", targets: ["chimed"]),
    .executable(name: "benchmarks", targets: ["benchmarks"]),
    .executable(name: "chimed-faults", targets: ["chimed-faults"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", exact: "1.35.2"),
    .package(url: "https://github.com/apple/swift-nio-http2", exact: "1.46.0"),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    .package(
      url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1", traits: []),
    .package(url: "https://github.com/hummingbird-project/swift-mustache", exact: "2.1.1"),
    .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
  ],
  targets: [
    // The console's pages, embedded by its C source.
    .target(name: "CConsole", exclude: ["web"]),
    shim("CCivilTime", links: ["cctz", "stdc++"]),
    shim("CCurl", links: ["curl"]),
    shim("CJSON", links: ["simdjson", "stdc++"]),
    shim("COpenSSL", links: ["ssl", "crypto"]),
    shim("CPostgres", links: ["pq"]),
    shim("CSQLite", links: ["sqlite3"]),
    shim("CSystemd", links: ["systemd"]),
    module("TimerWheel", settings: optimized),
    module("CivilTime", uses: ["CCivilTime"], settings: optimized),
    module("Holidays", uses: ["CivilTime"], settings: optimized),
    module("JSON", uses: ["CJSON"]),
    module("Cryptography", uses: ["COpenSSL"]),
    module("Access", uses: ["CivilTime", "Cryptography", "JSON"]),
    module("Systemd", uses: ["CSystemd", "Cryptography", "JSON", logging]),
    module(
      "Reminders", uses: ["CivilTime", "Holidays", "JSON", yams], settings: optimized),
    module(
      "Proving", uses: ["CivilTime", "JSON", "Reminders", yams], settings: optimized),
    module("Store", uses: ["Access", "CivilTime", "Reminders"], settings: optimized),
    module(
      "SQLiteStore",
      uses: ["Access", "CSQLite", "CivilTime", "Reminders", "Store", "Systemd", grdb, sqlite],
      settings: optimized),
    module("Postgres", uses: ["CPostgres"]),
    module(
      "PostgresStore",
      uses: ["Access", "CivilTime", "Cryptography", "Fleet", "Postgres", "Reminders", "Store"]),
    module("EventStreams"),
    module("Fleet", uses: ["CivilTime"]),
    module(
      "Outbox", uses: ["CivilTime", "JSON", "Reminders", "Store"], settings: optimized),
    module("HTTPTransfers", uses: ["CCurl"]),
    module("TLS", uses: ["COpenSSL", nioCore, nioTLS]),
    module(
      "Sinks",
      uses: [
        "Access", "CCurl", "CSystemd", "CivilTime", "Cryptography", "HTTPTransfers", "JSON",
        "Outbox", "Reminders", "Systemd", "TLS", httpTypes, mustache, nioCore, nioHPACK, nioHTTP2,
        nioPosix, nioTLS, yams,
      ]),
    module(
      "Engine",
      uses: [
        "Access", "CSystemd", "CivilTime", "Outbox", "Reminders", "Store", "Systemd", "TimerWheel",
      ], settings: optimized),
    module(
      "API",
      uses: [
        "Access", "CConsole", "CivilTime", "Cryptography", "Engine", "HTTPTransfers", "JSON",
        "Outbox", "Reminders", "Store", "TLS", httpTypes, hummingbirdCore, lifecycle, logging,
        nioCore, nioHTTP1, nioHTTPTypes, nioPosix,
      ]),
    module(
      "FleetService",
      uses: [
        "Access", "CivilTime", "Engine", "Fleet", "Outbox", "PostgresStore", "Reminders", "Store",
        "Systemd",
      ]),
    module("TraceExport", uses: ["CivilTime", "Engine", "HTTPTransfers", "JSON", "Reminders"]),
    // Apps build this product, also for iOS: it uses no C of ours.
    module("ChimedClient", uses: ["EventStreams"]),
    // One executable under two names, so that shared code exists once.
    program(
      "chimed",
      uses: [
        "API", "Access", "CivilTime", "Engine", "Fleet", "FleetService", "Holidays", "JSON",
        "Outbox", "PostgresStore", "Proving", "Reminders", "SQLiteStore", "Sinks", "Store",
        "Systemd", "TLS",
        "TraceExport", "chimectl", argumentParser, lifecycle, logging, nioCore, nioPosix, yams,
      ]),
    module(
      "chimectl",
      uses: [
        "API", "CivilTime", "EventStreams", "HTTPTransfers", "JSON", "Outbox", "Proving",
        "Reminders", "Systemd", argumentParser, httpTypes, nioCore, nioHTTP1,
      ]),
    program(
      "benchmarks", in: "Tests/Benchmarks",
      uses: [
        "CivilTime", "Cryptography", "Engine", "JSON", "Outbox", "Postgres", "PostgresServer",
        "PostgresStore", "Reminders", "SQLiteStore", "Sinks", "Store", "Systemd", "TimerWheel",
        nioCore, nioHTTP1, nioPosix,
      ], beside: ["Fleet", "Peers"]),
    shim("CFaultyDisk", in: "Tests/CFaultyDisk", links: ["sqlite3"]),
    module("FaultyDisk", in: "Tests/FaultyDisk", uses: ["CFaultyDisk"]),
    module("TestSupport", in: "Tests/Support"),
    module(
      "PostgresServer", in: "Tests/PostgresServer",
      uses: ["CivilTime", "Fleet", "Postgres", "PostgresStore", "TestSupport"]),
    module("DeliverySamples", in: "Tests/DeliverySamples", uses: ["CivilTime", "Reminders"]),
    module(
      "AnswerPeers", in: "Tests/AnswerPeers",
      uses: ["TLS", "TestSupport", nioCore, nioPosix]),
    module(
      "MemoryStore", in: "Tests/MemoryStore",
      uses: ["Access", "CivilTime", "Reminders", "Store"], settings: optimized),
    module(
      "ServiceDouble", in: "Tests/ServiceDouble",
      uses: ["CivilTime", "Engine", "MemoryStore", "Reminders", "Store"]),
    program(
      "chimed-faults", in: "Tests/Faults",
      uses: [
        "AnswerPeers", "CivilTime", "Engine", "FaultyDisk", "Fleet", "JSON", "Outbox", "Reminders",
        "SQLiteStore", "Sinks", "Store", "Systemd", "TestSupport", argumentParser,
      ],
      beside: ["mutants.json", "mutants.py"]),
    tests("TidyTests", of: [], settings: optimized),
    tests("TimerWheelTests", of: ["TestSupport", "TimerWheel"]),
    tests(
      "CivilTimeTests", of: ["CivilTime", "TestSupport"],
      beside: ["Calendars", "zoneinfo_oracle.py"]),
    tests(
      "HolidaysTests", of: ["CivilTime", "Holidays", "TestSupport"],
      beside: ["generate_holidays.py", "holidays_oracle.py"]),
    tests("JSONTests", of: ["JSON", "TestSupport"]),
    tests("AccessTests", of: ["Access", "CivilTime", "Cryptography", "JSON", "TestSupport"]),
    tests("CryptographyTests", of: ["Cryptography", "JSON", "TestSupport"]),
    tests("SystemdTests", of: ["CSystemd", "Cryptography", "JSON", "Systemd", logging]),
    tests(
      "RemindersTests", of: ["CivilTime", "Holidays", "JSON", "Reminders", "TestSupport"],
      beside: ["Catalog/Mistakes", "Recurrence"]),
    tests(
      "SimulationTests",
      of: ["CivilTime", "Holidays", "JSON", "Reminders", "TestSupport"],
      beside: ["Scenarios"]),
    tests(
      "APITests",
      of: [
        "API", "Access", "AnswerPeers", "CivilTime", "Cryptography", "Engine", "HTTPTransfers",
        "JSON", "Outbox", "Reminders", "SQLiteStore", "ServiceDouble", "Store", "TLS",
        "TestSupport", httpTypes, lifecycle, lifecycleTestKit, logging, nioCore, nioEmbedded,
        nioHTTP1, nioPosix,
      ]),
    tests(
      "StoreTests",
      of: [
        "Access", "CivilTime", "FaultyDisk", "Fleet", "MemoryStore", "Postgres", "PostgresServer",
        "PostgresStore", "Reminders", "SQLiteStore", "Store", "TestSupport", grdb,
      ],
      beside: ["ExpectedSQL"]),
    tests(
      "TraceExportTests",
      of: ["CivilTime", "Engine", "JSON", "Reminders", "TestSupport", "TraceExport"]),
    tests("FleetTests", of: ["CivilTime", "Fleet", "TestSupport"]),
    tests(
      "FleetServiceTests",
      of: [
        "CivilTime", "Engine", "Fleet", "FleetService", "Outbox", "PostgresStore", "Reminders",
        "Store", "Systemd", "TestSupport",
      ]),
    tests(
      "OutboxTests",
      of: ["CivilTime", "DeliverySamples", "JSON", "Outbox", "Reminders", "Store", "TestSupport"]),
    tests(
      "SinksTests",
      of: [
        "Access", "AnswerPeers", "CCurl", "CSystemd", "CivilTime", "Cryptography",
        "DeliverySamples", "HTTPTransfers", "JSON", "Outbox", "Reminders", "Sinks", "Systemd",
        "TLS", "TestSupport", httpTypes, nioCore, nioEmbedded, nioPosix, nioTLS, yams,
      ],
      beside: ["Peers", "SMTP/smtp_peer.py"]),
    tests(
      "EngineTests",
      of: [
        "Access", "CivilTime", "Engine", "FaultyDisk", "Fleet", "Holidays", "JSON", "MemoryStore",
        "Outbox", "Postgres", "PostgresServer", "PostgresStore", "Reminders", "SQLiteStore",
        "Store", "Systemd", "TestSupport", "TimerWheel", grdb, sqlite,
      ]),
    tests("ProvingTests", of: ["CivilTime", "JSON", "Proving", "Reminders"]),
    tests("ChimedClientTests", of: ["ChimedClient", "Reminders"]),
    tests(
      "ChimectlTests",
      of: [
        "API", "Access", "CivilTime", "Engine", "EventStreams", "JSON", "Reminders",
        "ServiceDouble", "Store", "TestSupport", "chimectl", argumentParser, lifecycle, logging,
      ]),
    tests(
      "SystemTests",
      of: [
        "CSystemd", "ChimedClient", "CivilTime", "JSON", "Postgres", "PostgresServer", "Systemd",
        "TestSupport", "chimectl", "chimed",
      ],
      beside: [
        "Console", "Image", "Inside", "Monitoring", "Parts", "Peers", "Soak",
        "cloudevents_client.py",
        "generated_client.py", "install-package.sh", "openapi_client.py", "proxy_client.py",
        "schema_check.py",
      ]),
  ],
  cxxLanguageStandard: .cxx17
)
