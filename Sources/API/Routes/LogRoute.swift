import Access
import CivilTime
import HTTPTypes
import HummingbirdCore
import JSON

/// What the service has told its journal since its start, as far as it is in memory: for who has no
/// access to the machine's own. What somebody has changed is for administrators.
struct LogRoute: Sendable {
  let control: any ServiceControl

  var route: Route { Route(.get, "/v1/log", .log, answer: .support(answer)) }

  private func answer(_ call: Call) async throws -> Response {
    var question = try LogQuestion(call)
    question.limit = try call.limit()
    if let after = call.parameters["after"] { question.after = try PageBounds.number(after: after) }
    let page = control.log(question)
    return Response(LogPagePayload.self, page)
  }
}

extension LogQuestion {
  private static let named = ["recipient", "reminder", "sink"]

  /// Which entries are asked for, wherever they begin.
  init(_ call: Call) throws(Problem) {
    self.init()
    if let given: LogLevel = try call.word("level") { level = given }
    for name in Self.named { fields[name] = call.parameters[name] }
    changes = try Self.changes(of: call)
  }

  private static func changes(of call: Call) throws(Problem) -> Bool? {
    let isWanted = try call.isSet("changes")
    let isAllowed = call.caller?.scope.has(.administration) == true
    if isWanted, !isAllowed, let scope = call.caller?.scope {
      throw Problem(scope, lacks: .administration)
    }
    return isAllowed ? (isWanted ? true : nil) : false
  }
}

struct LogPagePayload: Payload {
  typealias Value = LogPage
  static let shape = PayloadShape(Self())

  let entries = Member("entries", .list(.payload(LogEntryPayload.self))) { $0.entries }
  let latest = Member("latest", .text) { "\($0.latest)" }
  let cut = Member("cut", .boolean, "Whether some behind after are not kept any more") { $0.isCut }
}

struct LogEntryPayload: Payload {
  typealias Value = LogEntry
  static let shape = PayloadShape(Self())

  let number = Member("number", .count) { Int($0.number) }
  let at = Member("at", .instant) { $0.at }
  let level = Member("level", .word) { $0.level }
  let kind = Member("kind", .text, "The MESSAGE_ID in the journal") { $0.kind }
  let message = Member("message", .text) { $0.message }
  let fields = PayloadWords<LogEntry>(LogPage.fields, named: \.self, .text) { $0[$1] }
}

extension Operation {
  static let log = Operation(
    identifier: "log", summary: "What the service has told its journal since its start",
    details: """
      The latest entries, which are in memory; the machine's journal has them all. The oldest of a \
      page comes first. To follow it, open /v1/log/stream with the answer's latest as after, or \
      ask again with it. What somebody has changed, with who did it, is for administrators.
      """,
    parameters: [
      .query("limit", .integer(1...1_000), "How many at most; 100 unless given"),
      .query("after", .text, "The \"latest\" of the answer before; the latest unless given"),
    ] + logFilters,
    answers: [
      Answer("Entries", .of(LogPagePayload.self))
    ])

  static let logFilters: [Parameter] = [
    .query("level", .word(LogLevel.allCases.map(\.rawValue)), "What matters less is left out"),
    .query("recipient", .text, "Only what is about this person"),
    .query("reminder", .text, "Only what is about this reminder"),
    .query("sink", .text, "Only what is about this sink"),
    .query("changes", .boolean, "Whether only what somebody has changed is asked for"),
  ]
}
