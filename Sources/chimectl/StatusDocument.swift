import CivilTime
import JSON

/// What the service says of itself.
struct StatusDocument {
  struct Next {
    let reminder: String
    let recipients: Int64
    let at: Instant
  }

  /// What became of events since the start of the service.
  struct Events {
    let accepted: Int64
    /// Refused, or not looked at.
    let turnedAway: Int64
  }

  /// A part of the service that its watchdog watches.
  struct Part {
    let name: String
    /// For how many seconds it has owed a sign of progress, and how many it may.
    let age: Double
    let allowance: Double
    let isVital: Bool
  }

  /// What the store had acknowledged and has no more.
  struct Loss {
    let events: Int64
    let notifications: Int64
    let since: Instant?
    let until: Instant?
  }

  let version: String
  let now: Instant
  let started: Instant
  let recipients: Int64
  let pending: Int64
  let due: Int64
  let replanning: Int64
  let deadLetters: Int64
  let next: Next?
  let lanes: [LaneDocument]
  let events: Events
  let lateness: LatenessCounts
  let parts: [Part]
  let catalogs: [String]
  let zoneDatabase: String
  let defaultZone: String
  let storageFailure: String?
  let loss: Loss?
  let erasureOpen: Instant?
  let clockHold: Instant?
  let clockLeap: Instant?
  let reloadFailure: String?

  init(_ document: JSONValue) throws(Failure) {
    version = try document.text("version")
    now = try document.instant("now")
    started = try document.instant("started")
    recipients = try document.number("recipients")
    pending = try document.number("pending")
    due = try document.number("due")
    replanning = try document.number("replanning")
    deadLetters = try document.number("deadLetters")
    next = try document.optional("next") { next throws(Failure) in try Next(next) }
    lanes = try document.list("lanes") { lane throws(Failure) in try LaneDocument(lane) }
    events = try Events(document["events"] ?? .null)
    lateness = try LatenessCounts(document["lateness"] ?? .null)
    parts = try document.list("watchdog") { part throws(Failure) in try Part(part) }
    catalogs = (document["catalogs"]?.arrayValue ?? []).compactMap(\.stringValue)
    zoneDatabase = try document.text("zoneDatabase")
    defaultZone = try document.text("defaultZone")
    storageFailure = document["storageFailure"]?.stringValue
    loss = try document.optional("loss") { loss throws(Failure) in try Loss(loss) }
    erasureOpen = try document.optionalInstant("erasureOpen")
    clockHold = try document.optionalInstant("clockHold")
    clockLeap = try document.optionalInstant("clockLeap")
    reloadFailure = document["reloadFailure"]?.stringValue
  }

  /// For how many seconds the service has been running.
  var uptime: UInt64 { Countdown.seconds(from: started, to: now) }
}

extension StatusDocument.Next {
  fileprivate init(_ next: JSONValue) throws(Failure) {
    reminder = try next.text("reminder")
    recipients = try next.number("recipients")
    at = try next.instant("at")
  }
}

extension StatusDocument.Loss {
  fileprivate init(_ loss: JSONValue) throws(Failure) {
    events = try loss.number("events")
    notifications = try loss.number("notifications")
    since = try loss.optionalInstant("since")
    until = try loss.optionalInstant("until")
  }
}

extension StatusDocument.Events {
  fileprivate init(_ events: JSONValue) throws(Failure) {
    accepted = try events.number("accepted")
    turnedAway = try events.number("refused") + events.number("unanswered")
  }
}

extension StatusDocument.Part {
  fileprivate init(_ part: JSONValue) throws(Failure) {
    name = try part.text("part")
    age = part["age"]?.numberValue ?? 0
    allowance = part["allowance"]?.numberValue ?? .infinity
    isVital = part["vital"] == true
  }
}
