import HTTPTypes
import JSON

extension Operation {
  static let reload = Operation(
    identifier: "reload", summary: "Read the configuration again and take it into use",
    details: "Answers when the new one is in force. One with faults changes nothing.",
    answers: [
      Answer(
        "It is in force", reloaded, example: ["status": "reloaded", "restart": ["listen"]])
    ],
    problems: [.reloadRejected])

  static let logLevel = Operation(
    identifier: "logLevel", summary: "From which level on the service writes to its journal",
    answers: [Answer("The level", level, example: ["level": "info"])])

  static let setLogLevel = Operation(
    identifier: "setLogLevel",
    summary: "Change from which level on the service writes to its journal",
    details: "Holds until the next reload or restart, which have the configuration's.",
    body: Body(Content(schema: level, example: ["level": "warning"])),
    answers: [Answer("The level", level, example: ["level": "warning"])],
    problems: [.invalidBody])

  private static let reloaded = Schema.object(
    .init("status", .constant("reloaded")),
    .init(
      "restart",
      Schema.list(.text).described("Settings that have changed and are taken in by a restart alone")
    ))

  private static let level = Schema.object(
    .init("level", .word(LogLevel.allCases.map(\.rawValue))))
}
