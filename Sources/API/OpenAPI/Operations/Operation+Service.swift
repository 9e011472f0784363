import HTTPTypes
import JSON

extension Operation {
  static let status = Operation(
    identifier: "status", summary: "How the service is",
    answers: [Answer("What is pending and next, and how its sinks are", .reference(.status))])

  static let health = Operation(
    identifier: "health", summary: "Whether the process lives and answers",
    answers: [Answer("It does", .reference(.word), example: ["status": "ok"])])

  static let readiness = Operation(
    identifier: "readiness", summary: "Whether the service would answer; 503 when it would not",
    answers: [Answer("It would", .reference(.word), example: ["status": "ready"])])

  static let backup = Operation(
    identifier: "backup", summary: "A copy of everything, as it is at this instant",
    details: "An SQLite database, to be put back by `chimed restore`.",
    answers: [Answer("The copy", .text, type: "application/vnd.sqlite3")],
    problems: [.storageFull])

  static let metrics = Operation(
    identifier: "metrics", summary: "The service in numbers, for Prometheus",
    details: "No label names a recipient.",
    answers: [
      Answer("Prometheus' text format", .text, type: "text/plain")
    ])

  static let describe = Operation(
    identifier: "describe", summary: "This document",
    answers: [Answer("OpenAPI 3.1", .object)])
}
