import HTTPTypes
import JSON

extension Operation {
  static let status = Operation(
    identifier: "status", summary: "The status of the service",
    answers: [Answer("Pending and next occurrences, and the state of sinks", .reference(.status))])

  static let health = Operation(
    identifier: "health", summary: "Whether the process responds",
    answers: [Answer("It responds", .reference(.word), example: ["status": "ok"])])

  static let readiness = Operation(
    identifier: "readiness", summary: "Whether the service is ready for requests; 503 if not",
    answers: [
      Answer("It is ready", .of(ReadinessPayload.self), example: ["status": "ready"])
    ])

  static let backup = Operation(
    identifier: "backup", summary: "A consistent copy of the store",
    details: "An SQLite database; restore it with `chimed restore`.",
    answers: [Answer("The copy", .text, type: "application/vnd.sqlite3")],
    problems: [.storageFull, .noBackup])

  static let createBackupTicket = Operation(
    identifier: "createBackupTicket", summary: "Create a one-time address of a backup",
    details: """
      The address is valid for one minute and needs no token, so that browsers can save the file.
      """,
    answers: [
      Answer(status: .created, "The address", .of(DownloadTicketPayload.self))
    ],
    problems: [.tooManyRequests])

  static let downloadBackup = Operation(
    identifier: "downloadBackup", summary: "Download the backup of a ticket",
    answers: [Answer("The copy", .text, type: "application/vnd.sqlite3")],
    problems: [.unknownToken, .tooManyRequests, .storageFull, .noBackup])

  static let retention = Operation(
    identifier: "retention",
    summary: "Data past its retention, which is going to be removed",
    details: "One request examines a limited number of rows; \"next\" continues.",
    parameters: [
      required(.query("part", .word(RetentionPayload.parts), "The kind of data")),
      .query("after", .text, "The \"next\" of the previous page"),
    ],
    answers: [
      Answer("How many would be removed, and the age of the oldest", .of(RetentionPayload.self))
    ])

  private static func required(_ parameter: Parameter) -> Parameter {
    var parameter = parameter
    parameter.isRequired = true
    return parameter
  }

  static let metrics = Operation(
    identifier: "metrics", summary: "Metrics of the service, for Prometheus",
    details: "No label contains a recipient.",
    answers: [
      Answer("Prometheus' text format", .text, type: "text/plain")
    ])

  static let describe = Operation(
    identifier: "describe", summary: "This document",
    answers: [Answer("OpenAPI 3.1", .object)])
}

extension Operation {
  static let reload = Operation(
    identifier: "reload", summary: "Reload the configuration",
    details: """
      Responds when the new configuration is current. A configuration with errors changes nothing. \
      If the new secret, file or program of a sink is missing or wrong, everything else is loaded \
      nonetheless. A removed reminder ends: its occurrences are dropped as `withdrawn`, unless \
      another reminder names it in `was`.
      """,
    answers: [
      Answer(
        "Reloaded", .of(ReloadPayload.self),
        example: [
          "status": "reloaded", "restart": ["listen"],
          "ended": [["reminder": "weigh-in", "people": 2, "occurrences": 3]],
          "unavailable": ["mail: the credential mail-password is missing"], "outdated": [],
          "fixedSecrets": [],
        ])
    ],
    problems: [.reloadRejected])

  static let checkConfiguration = Operation(
    identifier: "checkConfiguration",
    summary: "Validate the configuration files; nothing is changed",
    details: """
      Checks the files and everything that they name. A sink that cannot be created is a fault \
      here, although a reload would apply everything else.
      """,
    answers: [Answer("The findings", .of(FindingsPayload.self))])

  static let configuration = Operation(
    identifier: "configuration", summary: "The current configuration, without secrets",
    details: """
      Lists each setting with its current value, including defaults. A sink that continues with \
      its former settings is shown as in the file. Values that may contain a secret are hidden, \
      and the addresses of sinks are shown up to the host.
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
            ["name": "clock.trust-after", "value": "5m", "hidden": false, "from": "default"],
          ],
        ])
    ])

  static let logLevel = Operation(
    identifier: "logLevel", summary: "The lowest level of journal entries",
    answers: [Answer("The level", level, example: ["level": "info"])])

  static let setLogLevel = Operation(
    identifier: "setLogLevel",
    summary: "Set the lowest level of journal entries",
    details: "Valid until the next reload or restart, which restore the configured level.",
    body: Body(Content(schema: .of(LogLevelBody.self), example: ["level": "warning"])),
    answers: [Answer("The level", level, example: ["level": "warning"])],
    problems: [.invalidBody])

  private static let level = Schema.of(LogLevelPayload.self)
}

extension Operation {
  static let tokens = Operation(
    identifier: "tokens", summary: "All bearer tokens, without their secrets",
    parameters: Parameter.page,
    answers: [Answer("A page of tokens", .of(TokenPagePayload.self))])

  static let createToken = Operation(
    identifier: "createToken", summary: "Create a bearer token; its secret is shown only now",
    details: """
      A token with the scope report may only send events: those of the given types and source. \
      Without types it may report every type except recipient.deleted.
      """,
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
    identifier: "revokeToken", summary: "Revoke a bearer token immediately",
    answers: [Answer("The revoked token", .reference(.token))], problems: [.unknownToken])
}

extension Operation {
  static let analyticsEvents = Operation(
    identifier: "analyticsEvents",
    summary: "Analytics events of changed preferences and permissions, oldest first",
    parameters: Parameter.page, answers: [events])

  static let recipientAnalytics = Operation(
    identifier: "recipientAnalytics",
    summary: "A recipient's analytics events of changed preferences and permissions",
    parameters: Parameter.page, answers: [events], problems: [.unknownRecipient])

  static let usage = Operation(
    identifier: "usage",
    summary: "Use of notifications by category, channel and the recipients' local hour",
    parameters: [
      .query("from", .date, "The first date; default: 29 days before \"to\""),
      .query("to", .date, "The last date; default: today. The range has at most 366 days"),
    ],
    answers: [Answer("The counts", .reference(.usage))])

  private static let events = Answer("A page of events", .reference(.analyticsPage))
}
