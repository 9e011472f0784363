package import CivilTime
package import Engine
import HTTPTypes
import HummingbirdCore
import JSON
package import Reminders

/// Reports what a draft of a catalog would have sent to recipients in the past days (rule L5). The
/// draft is not loaded. Without a draft, audits the record of these days (rule L6).
struct ReplayRoute: Sendable {
  let work: HeavyWork
  let limits: APILimits

  private static let sampleDefault = 100
  private static let perDayDefault = 5

  var route: Route { Route(.post, "/v1/replays", .replay, answer: .support(answer)) }

  private func answer(_ call: Call) async throws -> Response {
    let body = try await call.body(ReplayBody.self, within: limits)
    guard let source = try body.source else { return try await audit(body, for: call) }
    guard let name = try body.name else {
      throw Problem(.invalidBody, "name is missing; add the name of the catalog", path: "name")
    }
    let (start, selection) = (try body.since, try Self.selection(body))
    let (perDay, planner) = (try body.perDay ?? Self.perDayDefault, work.service.planner)
    let draft = try CatalogDraft(source, named: name, among: planner.catalog)
    let replay = try await work.run(for: call) {
      service throws(ServiceUnavailable) -> Result<ReplayAnswer, CatalogErrors> in
      switch try await service.work(.trial, { draft.read() }) {
      case .success(let catalog):
        .success(
          try await service.answer(
            ReplayQuery(selection, since: start, by: planner.with(catalog), perDay: perDay)))
      case .failure(let errors): .failure(errors)
      }
    }
    switch replay {
    case .success(.known(let replay)): return Response(ReplayPayload.self, replay)
    case .success(.unknownRecipient):
      throw Problem.unknown(recipient: try body.recipient ?? "")
    case .success(.unknown(let reason)):
      throw Problem(.invalidBody, "since \(reason)", path: "since")
    case .failure(let errors): throw draft.problem(errors)
    }
  }

  static func selection(
    _ body: ReceivedBody<ReplayBody>
  ) throws(Problem) -> ReplayQuery.Selection {
    guard let name = try body.recipient else { return .sample(try body.sample ?? sampleDefault) }
    guard try body.sample == nil else {
      throw Problem(
        .invalidBody, "sample is of no use with a recipient; leave it out", path: "sample")
    }
    return .recipient(name)
  }
}

struct ReplayBody: RequestPayload {
  static let shape = BodyShape(Self())

  let name = Member(
    "name", optional: .catalogName, "The catalog to replace; a new name adds a catalog")
  let source = Member(
    "source", optional: .catalogText, "YAML; at most 256 KiB; an audit has neither name nor source")
  let since = Member(
    "since", .replayStart, "The first instant that is compared, or how long it is ago")
  let recipient = Member("recipient", optional: .recipient, "Default: a sample of all recipients")
  let sample = Member(
    "sample", optional: .number(1...400), "The number of recipients in the sample; default: 100")
  let perDay = Member(
    "perDay", optional: .number(1...100),
    "The number of notifications on one date that is not too many; default: 5")
}

extension InputKind where Content == ReplayQuery.Start {
  /// An instant, or a span until now.
  static var replayStart: Self {
    InputKind(
      Schema(type: "string", ["examples": ["30d", "2026-03-02T21:00:00Z"]]),
      "an instant, or a length of time such as 30d"
    ) { value in
      guard let text = value.stringValue else { return nil }
      return Instant(text).map { .instant($0) } ?? TimeSpan(text).map { .ago($0) }
    }
  }
}

package struct ReplayPayload: Payload {
  package typealias Value = CatalogReplay
  package static let shape = PayloadShape(Self())

  package let since = Member("since", .instant) { $0.since }
  package let now = Member("now", .instant) { $0.now }
  package let people = Member("people", .count) { $0.people }
  package let asked = Member("asked", .count, "The number of replayed recipients") {
    $0.replayedCount
  }
  package let exact = Member("exact", .boolean) { $0.replayedCount == $0.people }
  package let changed = Member(
    "changed", .count, "The number of replayed recipients with any change"
  ) { $0.changedCount }
  package let warmUp = Member(
    "warmUp", .count,
    "The number of replayed recipients whose earliest events are known only as facts"
  ) { $0.warmUpCount }
  package let leftOut = Member(
    "leftOut", .count, "The number of examined recipients whose past is not known"
  ) { $0.leftOutCount }
  package let unknown = Member("unknown", .list(.text), "The parts of the past that are not known")
  { $0.unknownParts }
  package let perDay = Member("perDay", .count) { $0.perDay }
  package let busy = Member(
    "busy", .payload(ReplayBusyPayload.self),
    "The recipients with more than perDay notifications outside the inbox on a date of theirs"
  ) { $0 }
  package let lines = Member("lines", .list(.payload(ReplayLinePayload.self))) { replay in
    replay.lines.map(ReplayLinePayload.Value.init).sorted { $0.rank < $1.rank }
  }
}

package struct ReplayBusyPayload: Payload {
  package typealias Value = CatalogReplay
  package static let shape = PayloadShape(Self())

  package let then = Member("then", .count) { $0.busy.then }
  package let now = Member("now", .count) { $0.busy.now }
  package let examples = Member(
    "examples", .list(.recipient), "Some of those who only with the draft get more"
  ) { $0.busyExamples }
}

package struct ReplayLinePayload: Payload {
  package struct Value {
    let line: ReplayComparison.Line
    let content: CatalogReplay.Line

    fileprivate var rank: (Int, String, String) {
      let changed = content.changes.values.reduce(0) { $0 + $1.notifications }
      return (-changed, line.reminder, line.channel.name)
    }
  }

  package static let shape = PayloadShape(Self())

  package let reminder = Member("reminder", .text) { $0.line.reminder }
  package let category = Member("category", .text) { $0.line.category }
  package let channel = Member("channel", .channel) { $0.line.channel }
  package let then = Member("then", .count, "The number of notifications that were sent") {
    $0.content.sent.then
  }
  package let now = Member("now", .count, "The number that the draft sends") {
    $0.content.sent.now
  }
  package let changes = Member("changes", .list(.payload(ReplayChangePayload.self))) { value in
    value.content.changes.map(ReplayChangePayload.Value.init).sorted { $0.rank < $1.rank }
  }
}

package struct ReplayChangePayload: Payload {
  package struct Value {
    let change: ReplayComparison.Change
    let count: CatalogReplay.Count

    fileprivate var rank: (Int, String, String) {
      (-count.notifications, change.kind.rawValue, change.reason ?? "")
    }
  }

  package static let shape = PayloadShape(Self())

  package let change = Member("change", .word) { $0.change.kind }
  package let reason = Member("reason", optional: .text, "The gate that drops the notification") {
    $0.change.reason
  }
  package let notifications = Member("notifications", .count) { $0.count.notifications }
  package let people = Member("people", .count) { $0.count.people }
  package let examples = Member(
    "examples", .list(.recipient), "Up to 10 of the affected recipients"
  ) { $0.count.examples }
}

extension CatalogReplay {
  /// The parts of the past that are not known, so that they are not guessed.
  fileprivate var unknownParts: [String] {
    var parts = missingZones.map { "the time zone rules of \($0)" }
    if warmUpCount > 0 {
      parts.append("what \(warmUpCount) recipients got before their first stored event")
    }
    if earlierCount > 0 {
      parts.append("the catalogs of the first events of \(earlierCount) recipients")
    }
    if lostEventCount > 0 { parts.append("\(lostEventCount) events") }
    if refusedEventCount > 0 {
      parts.append("\(refusedEventCount) events that only the draft refuses")
    }
    return parts
  }
}

extension Operation {
  static let replay = Operation(
    identifier: "replay",
    summary: "Report what a draft of a catalog would have sent in the past, or audit the record",
    details: """
      Decides each recipient's past days again from the stored events: with the catalogs of that \
      time, and with the draft from since on. Both take the events at the instants at which they \
      arrived. The answer compares them by reminder and channel: added, restored, cancelled, \
      dropped (with the gate as reason), waiting (held, snoozed or planned later), moved, bundled \
      into a digest, separated from one, and reworded. It assumes that sinks accepted everything, \
      that the service always ran, and that people did not behave differently. people is the \
      number of recipients, asked the number of replayed ones, and exact is true if all were \
      replayed. unknown lists what is not stored. Without name and source, the answer is an audit: \
      it compares each recorded decision with the replay by the catalogs of that time, and lists \
      the first difference of each recipient unless the record shows a cause, such as a failed \
      attempt or a time without service. Nothing is changed.
      """,
    body: Body(
      Content(
        schema: .of(ReplayBody.self),
        example: ["name": "imanpath", "source": "catalog: imanpath\n", "since": "7d"])),
    answers: [
      Answer(
        "The differences, the reminders with most first; or the result of an audit",
        .oneOf([.of(ReplayPayload.self), .of(AuditPayload.self)]))
    ],
    problems: [.invalidBody, .unknownRecipient])
}
