/// The architecture that the tests enforce.
enum Layout {
  /// The modules of the project that the sources of each target may import, without cycles.
  static let arrows: [String: Set<String>] = [
    "API": [
      "Access", "CConsole", "CivilTime", "Cryptography", "Engine", "HTTPTransfers", "JSON",
      "Outbox", "Reminders", "Store", "TLS",
    ],
    "Access": ["CivilTime", "Cryptography", "JSON"],
    "CCivilTime": [],
    "CConsole": [],
    "CCurl": [],
    "CJSON": [],
    "COpenSSL": [],
    "CPostgres": [],
    "CSQLite": [],
    "CSystemd": [],
    "ChimedClient": ["EventStreams"],
    "CivilTime": ["CCivilTime"],
    "Cryptography": ["COpenSSL"],
    "Outbox": ["CivilTime", "JSON", "Reminders", "Store"],
    "Engine": [
      "Access", "CSystemd", "CivilTime", "Outbox", "Reminders", "Store", "Systemd", "TimerWheel",
    ],
    "EventStreams": [],
    "Fleet": ["CivilTime"],
    "FleetService": [
      "Access", "CivilTime", "Engine", "Fleet", "Outbox", "PostgresStore", "Reminders", "Store",
      "Systemd",
    ],
    "HTTPTransfers": ["CCurl"],
    "Holidays": ["CivilTime"],
    "JSON": ["CJSON"],
    "Postgres": ["CPostgres"],
    "PostgresStore": [
      "Access", "CivilTime", "Cryptography", "Fleet", "Postgres", "Reminders", "Store",
    ],
    "Proving": ["CivilTime", "JSON", "Reminders"],
    "Reminders": ["CivilTime", "Holidays", "JSON"],
    "Sinks": [
      "Access", "CCurl", "CSystemd", "CivilTime", "Cryptography", "HTTPTransfers", "JSON", "Outbox",
      "Reminders", "Systemd", "TLS",
    ],
    "SQLiteStore": ["Access", "CSQLite", "CivilTime", "Reminders", "Store", "Systemd"],
    "Store": ["Access", "CivilTime", "Reminders"],
    "Systemd": ["CSystemd", "Cryptography", "JSON"],
    "TLS": ["COpenSSL"],
    "TimerWheel": [],
    "TraceExport": ["CivilTime", "Engine", "HTTPTransfers", "JSON", "Reminders"],
    "benchmarks": everything,
    "chimectl": [
      "API", "CivilTime", "EventStreams", "HTTPTransfers", "JSON", "Outbox", "Proving", "Reminders",
      "Systemd",
    ],
    "chimed": everything,
    "chimed-faults": everything,
  ]

  /// Targets that assemble the parts and print; the others are libraries.
  static let programs: Set = ["benchmarks", "chimectl", "chimed", "chimed-faults"]

  /// Modules that other packages import. Apps build them for systems other than Linux, so they
  /// depend on no C code of the project, and use Foundation's dates.
  static let products: Set = ["ChimedClient"]

  /// Targets that decide from their arguments alone: no clock, no randomness.
  static let pureTargets: Set = [
    "CivilTime", "EventStreams", "Fleet", "Holidays", "JSON", "Outbox", "Proving", "Reminders",
    "TimerWheel",
  ]

  /// The entries of `config`. The README of `config` explains each of them.
  static let configuration: Set = [
    "README.md", "catalogs", "chimed.yaml", "examples", "holidays", "manual", "monitoring",
    "packaging",
  ]

  static let topLevel: Set = [
    "LICENSE", "Makefile", "Package.swift", "README.md", "Sources", "Tests",
  ]

  /// Optional entries of the top level: written by SwiftPM, or not in every checkout.
  static let topLevelOptional: Set = ["Package.resolved", "config", "systemd"]

  /// Hidden directories with the project's own files; the others belong to tools.
  static let hiddenDirectories: Set = [".ci", ".github"]

  private static let everything: Set = [
    "API", "Access", "CCivilTime", "CConsole", "CCurl", "CJSON", "COpenSSL", "CPostgres", "CSQLite",
    "CSystemd", "CivilTime", "Cryptography", "Engine", "EventStreams", "Fleet", "FleetService",
    "HTTPTransfers",
    "Holidays", "JSON", "Outbox", "Postgres", "PostgresStore", "Proving", "Reminders",
    "SQLiteStore", "Sinks", "Store", "Systemd", "TLS", "TimerWheel", "TraceExport", "chimectl",
  ]
}
