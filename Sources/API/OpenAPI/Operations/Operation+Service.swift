import HTTPTypes
import JSON
import Store

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
    problems: [.storageFull, .noBackup])

  static let createBackupTicket = Operation(
    identifier: "createBackupTicket", summary: "Make an address at which a copy can be had once",
    details: "It is good for a minute, and wants no token: for browsers, which save files without.",
    answers: [
      Answer(status: .created, "Where the copy is to be had", .of(DownloadTicketPayload.self))
    ],
    problems: [.tooManyRequests])

  static let downloadBackup = Operation(
    identifier: "downloadBackup", summary: "The copy that a ticket was made for",
    answers: [Answer("The copy", .text, type: "application/vnd.sqlite3")],
    problems: [.unknownToken, .tooManyRequests, .storageFull, .noBackup])

  static let retention = Operation(
    identifier: "retention",
    summary: "What is older than it is kept for, and is going to be removed",
    details: "As far as one question looks: next says where the next one goes on.",
    parameters: [
      required(.query("part", .word(KeptPart.allCases.map(\.rawValue)), "Of what")),
      .query("after", .text, "The \"next\" of the page before"),
    ],
    answers: [
      Answer("How many would go, and how old the oldest is", .of(RetentionPayload.self))
    ])

  private static func required(_ parameter: Parameter) -> Parameter {
    var parameter = parameter
    parameter.isRequired = true
    return parameter
  }

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

extension Operation {
  static let reload = Operation(
    identifier: "reload", summary: "Read the configuration again and take it into use",
    details: """
      Answers when the new one is in force. One with faults changes nothing. A reminder that is \
      gone ends: what was held of it is dropped as `withdrawn`, unless another says `was`.
      """,
    answers: [
      Answer(
        "It is in force", .of(ReloadPayload.self),
        example: [
          "status": "reloaded", "restart": ["listen"],
          "ended": [["reminder": "weigh-in", "people": 2, "occurrences": 3]],
        ])
    ],
    problems: [.reloadRejected])

  static let checkConfiguration = Operation(
    identifier: "checkConfiguration",
    summary: "Whether a reload would take what the files say now; nothing is changed",
    answers: [Answer("What was found", .of(FindingsPayload.self))])

  static let configuration = Operation(
    identifier: "configuration", summary: "What the service runs with, but for secrets",
    details: """
      Each setting as it is in force, also where nobody has said anything. What may hold a secret \
      is not shown, and of the addresses of sinks the part behind the host is not.
      """,
    answers: [
      Answer(
        "The settings", .of(ConfigurationPayload.self),
        example: [
          "file": "/etc/chimed/chimed.yaml",
          "settings": [
            [
              "name": "listen", "value": "127.0.0.1:7411", "hidden": false, "from": "file",
              "line": 3,
            ],
            ["name": "clock.patience", "value": "5m", "hidden": false, "from": "default"],
          ],
        ])
    ])

  static let logLevel = Operation(
    identifier: "logLevel", summary: "From which level on the service writes to its journal",
    answers: [Answer("The level", level, example: ["level": "info"])])

  static let setLogLevel = Operation(
    identifier: "setLogLevel",
    summary: "Change from which level on the service writes to its journal",
    details: "Holds until the next reload or restart, which have the configuration's.",
    body: Body(Content(schema: .of(LogLevelBody.self), example: ["level": "warning"])),
    answers: [Answer("The level", level, example: ["level": "warning"])],
    problems: [.invalidBody])

  private static let level = Schema.of(LogLevelPayload.self)
}

extension Operation {
  static let tokens = Operation(
    identifier: "tokens", summary: "The bearer tokens there are, without their secrets",
    parameters: Parameter.page,
    answers: [Answer("A page of them", .of(TokenPagePayload.self))])

  static let createToken = Operation(
    identifier: "createToken", summary: "Make a bearer token; its secret is shown this once",
    body: Body(
      Content(
        schema: .of(TokenBody.self),
        example: ["name": "phone", "scope": "recipient:u1", "for": "P30D"])),
    answers: [
      Answer(status: .created, "The token", .reference(.token)).leading(to: [
        Link(operation: "revokeToken", parameter: "token", value: "$response.body#/id")
      ])
    ],
    problems: [.invalidBody])

  static let revokeToken = Operation(
    identifier: "revokeToken", summary: "Revoke a bearer token, at once",
    answers: [Answer("What it was", .reference(.token))], problems: [.unknownToken])
}

extension Operation {
  static let analyticsEvents = Operation(
    identifier: "analyticsEvents",
    summary: "What changes of preferences and permissions have told, oldest first",
    parameters: Parameter.page, answers: [events])

  static let recipientAnalytics = Operation(
    identifier: "recipientAnalytics",
    summary: "What one person's changes of preferences and permissions have told",
    parameters: Parameter.page, answers: [events], problems: [.unknownRecipient])

  static let usage = Operation(
    identifier: "usage",
    summary: "How notifications were used, by category, channel and hour of people's own days",
    parameters: [
      .query("from", .date, "The first date; 29 days before to unless given"),
      .query("to", .date, "The last date, at most 366 days later; today unless given"),
    ],
    answers: [Answer("The counts", .reference(.usage))])

  private static let events = Answer("A page of events", .reference(.analyticsPage))
}
