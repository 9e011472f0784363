import Access
import CivilTime
import HTTPTypes
import HummingbirdCore
import JSON

/// Serves the journal's recent entries from memory, for callers without access to the machine. Only
/// administrators see the entries about callers' changes.
struct LogRoute: Sendable {
  let control: any ServiceControl

  var route: Route { Route(.get, "/v1/log", .log, answer: .support(answer)) }

  private func answer(_ call: Call) async throws -> Response {
    var query = try LogQuery(call)
    query.limit = try call.limit()
    if let after = call.parameters["after"] { query.after = try PageBounds.number(after: after) }
    let page = control.log(query)
    return Response(LogPagePayload.self, page)
  }
}

extension LogQuery {
  /// The fields of entries that a request can filter by.
  private static let filterFields = ["recipient", "reminder", "sink"]

  /// Reads the filters, but not the parameters of the page.
  init(_ call: Call) throws(Problem) {
    self.init()
    if let lowest: LogLevel = try call.enumValue("level") { level = lowest }
    for name in Self.filterFields { fields[name] = call.parameters[name] }
    changes = try Self.changes(of: call)
  }

  /// Returns the filter `changes`. Callers without the right of administration get no changes.
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
  let cut = Member("cut", .boolean, "Whether entries after \"after\" are missing") { $0.isCut }
}

struct LogEntryPayload: Payload {
  typealias Value = LogEntry
  static let shape = PayloadShape(Self())

  let number = Member("number", .count) { Int($0.number) }
  let at = Member("at", .instant) { $0.at }
  let level = Member("level", .word) { $0.level }
  let kind = Member("kind", .text, "The MESSAGE_ID in the journal") { $0.kind }
  let message = Member("message", .text) { $0.message }
  let fields = ListedMembers<LogEntry>(LogPage.fields, named: \.self, .text) { $0[$1] }
}

extension Operation {
  static let log = Operation(
    identifier: "log", summary: "Recent journal entries of the service",
    details: """
      The latest entries in memory, the oldest first; the machine's journal has all of them. To \
      follow the log, open /v1/log/stream or repeat the request, with the response's "latest" as \
      the parameter "after". Only administrators see changes and their callers.
      """,
    parameters: [
      .query("limit", .integer(1...1_000), "The most entries to return; default: 100"),
      .query("after", .text, "The \"latest\" of the previous response; default: the newest page"),
    ] + logFilters,
    answers: [
      Answer("Entries", .of(LogPagePayload.self))
    ])

  static let logFilters: [Parameter] = [
    .query("level", .word(LogLevel.allCases.map(\.rawValue)), "The lowest level"),
    .query("recipient", .text, "Only entries about this recipient"),
    .query("reminder", .text, "Only entries about this reminder"),
    .query("sink", .text, "Only entries about this sink"),
    .query("changes", .boolean, "true for changes by callers only"),
  ]
}
