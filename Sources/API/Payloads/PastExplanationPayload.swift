package import CivilTime
import JSON
package import Reminders

/// What every gate said of something past, and how far its deliveries are.
struct ToldExplanation {
  let explanation: PastExplanation
  let deliveries: [DeliveryState]
  let digest: String?

  fileprivate var told: PastNotification { explanation.notification }
  fileprivate var zone: Zone { explanation.zone }

  fileprivate var verdicts: [VerdictPayload.Value] {
    Gate.allCases.compactMap { gate in
      told.trace.word(for: gate).map { VerdictPayload.Value(gate: gate, word: $0) }
    }
  }
}

struct PastExplanationPayload: Payload {
  typealias Value = ToldExplanation
  static let shape = PayloadShape(Self(), as: .pastExplanation)

  let notification = Member("notification", .text) { $0.told.identifier }
  let reminder = Member("reminder", .text) { $0.told.caption.reminder }
  let category = Member("category", .text) { $0.told.caption.category }
  let title = Member("title", .text) { $0.told.caption.title }
  let body = Member("body", .text) { Texts.shown($0.told.caption.body) }
  let silent = Member("silent", optional: .boolean) { $0.told.isSilent ? true : nil }
  let channels = Member("channels", .list(.channel)) { $0.told.channels.channels }
  let zone = Member("zone", .text) { $0.zone.name }
  let planned = Member("planned", .instant) { $0.told.planned }
  let plannedLocal = Member("plannedLocal", .localTime) { $0.zone.shown($0.told.planned) }
  let rounds = Member(
    "rounds", optional: .list(.payload(RoundPayload.self)),
    "Absent where it cannot be told for certain any more what the gates looked at"
  ) { past in
    past.explanation.rounds?.map { Zoned($0, in: past.zone) }
  }
  let verdicts = Member("verdicts", .list(.payload(VerdictPayload.self))) { $0.verdicts }
  let outcome = Member("outcome", .word) { $0.told.state($0.deliveries) }
  let at = Member("at", .instant) { $0.told.at }
  let local = Member("local", .localTime) { $0.zone.shown($0.told.at) }
  let reasons = Member("reasons", .reasons) { $0.told.trace.reasons }
  let missed = Member("missed", optional: .missed) { $0.told.trace.missed }
  let reasonsBeforeRetry = Member(
    "reasonsBeforeRetry", optional: .list(.text), "The gates that stopped it before another attempt"
  ) { $0.explanation.laterReasons.isEmpty ? nil : $0.explanation.laterReasons }
  let counterfactual = Member("counterfactual", orNull: .text) { $0.explanation.difference }
  let without = Member(
    "without", orNull: .payload(CounterfactualPayload.self), CounterfactualPayload.meaning
  ) { past in past.explanation.counterfactual.map { Zoned($0, in: past.zone) } }
  let members = Member("members", optional: .list(.text)) { $0.told.caption.shownMembers }
  let digest = Member("digest", optional: .text) { $0.digest }
  let deliveries = Member("deliveries", .list(.payload(DeliveryStatePayload.self))) { past in
    past.deliveries.map { Zoned($0, in: past.zone) }
  }
}

struct VerdictPayload: Payload {
  struct Value {
    let gate: Gate
    let word: String
  }

  static let shape = PayloadShape(Self())

  let gate = Member("gate", .text) { $0.gate.reason }
  let verdict = Member("verdict", .text) { $0.word }
}

struct DeliveryStatePayload: Payload {
  typealias Value = Zoned<DeliveryState>
  static let shape = PayloadShape(Self())

  let sink = Member("sink", .text) { $0.content.sink }
  let channel = Member("channel", .text) { $0.content.channel.name }
  let state = Member(
    "state", .word(["waiting", "handed_over", "retrying", "dead_letter", "failed", "dropped"])
  ) { $0.content.progress.told.state }
  let failedAttempts = Member("failedAttempts", optional: .count) {
    $0.content.progress.told.failed
  }
  let next = Member("next", optional: .instant) { $0.content.progress.told.next }
  let nextLocal = Member("nextLocal", optional: .localTime) { delivery in
    delivery.content.progress.told.next.map(delivery.local)
  }
  let reason = Member("reason", optional: .text) { $0.content.progress.told.reason }
  let attempts = Member("attempts", optional: .list(.payload(LocalAttemptPayload.self))) {
    delivery in
    let attempts = delivery.content.attempts
    return attempts.isEmpty ? nil : attempts.map { Zoned($0, in: delivery.zone) }
  }
}

extension DeliveryState.Progress {
  /// What is told of it.
  fileprivate var told: (state: String, failed: Int?, next: Instant?, reason: String?) {
    switch self {
    case .waiting: ("waiting", nil, nil, nil)
    case .handedOver: ("handed_over", nil, nil, nil)
    case .retrying(let attempts, let due, let reason): ("retrying", attempts, due, reason)
    case .dead(let attempts, let reason): ("dead_letter", attempts, nil, reason)
    case .failed(let reason): ("failed", nil, nil, reason)
    case .dropped(let reason): ("dropped", nil, nil, reason)
    }
  }
}

// MARK: - Attempts

package struct AttemptPayload: Payload {
  package typealias Value = Attempt
  package static let shape = PayloadShape(Self())

  package let handing = Members(HandingPayload.self) { $0 }
  package let answer = Members(AttemptAnswerPayload.self) { $0 }
}

/// The same with the time on the person's own clock.
struct LocalAttemptPayload: Payload {
  typealias Value = Zoned<Attempt>
  static let shape = PayloadShape(Self())

  let handing = Members(HandingPayload.self) { $0.content }
  let local = Member("local", .localTime) { $0.local($0.content.at) }
  let answer = Members(AttemptAnswerPayload.self) { $0.content }
}

package struct HandingPayload: Payload {
  package typealias Value = Attempt
  package static let shape = PayloadShape(Self())

  package let channel = Member("channel", .text) { $0.channel.name }
  package let sink = Member("sink", .text) { $0.sink }
  package let at = Member("at", .instant) { $0.at }
}

package struct AttemptAnswerPayload: Payload {
  package typealias Value = Attempt
  package static let shape = PayloadShape(Self())

  package let verdict = Member("verdict", .word(["delivered", "retry", "rejected", "dropped"])) {
    $0.verdict.name
  }
  package let status = Member("status", optional: .text) { $0.status }
  package let excerpt = Member("excerpt", optional: .text) { $0.excerpt.isEmpty ? nil : $0.excerpt }
  package let milliseconds = Member("milliseconds", optional: .count) {
    $0.duration.map { Int($0.milliseconds) }
  }
  package let reason = Member("reason", optional: .text) { $0.reason.isEmpty ? nil : $0.reason }
}
