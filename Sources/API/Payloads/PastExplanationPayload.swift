package import CivilTime
import JSON
package import Reminders

/// The verdicts of all gates for a past notification, and the state of its deliveries.
package struct ExplainedNotification {
  let explanation: PastExplanation
  let deliveries: [DeliveryState]
  /// The id of the digest that contains the notification; nil if there is none.
  let digest: String?

  fileprivate var past: PastNotification { explanation.notification }
  fileprivate var zone: Zone { explanation.zone }

  fileprivate var verdicts: [VerdictPayload.Value] {
    Gate.allCases.compactMap { gate in
      past.trace.word(for: gate).map { VerdictPayload.Value(gate: gate, verdict: $0) }
    }
  }
}

package struct PastExplanationPayload: Payload {
  package typealias Value = ExplainedNotification
  package static let shape = PayloadShape(Self(), as: .pastExplanation)

  package let notification = Member("notification", .text) { $0.past.identifier }
  package let reminder = Member("reminder", .text) { $0.past.message.reminder }
  package let category = Member("category", .text) { $0.past.message.category }
  package let title = Member("title", .text) { $0.past.message.title }
  package let body = Member("body", .text) { Texts.shown($0.past.message.body) }
  package let silent = Member("silent", optional: .boolean) { $0.past.isSilent ? true : nil }
  package let channels = Member("channels", .list(.channel)) { $0.past.channels.channels }
  package let zone = Member("zone", .text) { $0.zone.name }
  package let planned = Member("planned", .instant) { $0.past.planned }
  package let plannedLocal = Member("plannedLocal", .localTime) { $0.zone.shown($0.past.planned) }
  package let rounds = Member(
    "rounds", optional: .list(.payload(RoundPayload.self)),
    "Absent if the input of the gates is no longer known for certain"
  ) { past in
    past.explanation.rounds?.map { Zoned($0, in: past.zone) }
  }
  package let verdicts = Member("verdicts", .list(.payload(VerdictPayload.self))) { $0.verdicts }
  package let outcome = Member("outcome", .word) { $0.past.state($0.deliveries) }
  package let at = Member("at", .instant) { $0.past.at }
  package let local = Member("local", .localTime) { $0.zone.shown($0.past.at) }
  package let reasons = Member("reasons", .reasons) { $0.past.trace.reasons }
  package let missed = Member("missed", optional: .missed) { $0.past.trace.missed }
  package let reasonsBeforeRetry = Member(
    "reasonsBeforeRetry", optional: .list(.text),
    "The gates that dropped the notification before a retry"
  ) { $0.explanation.laterReasons.isEmpty ? nil : $0.explanation.laterReasons }
  package let counterfactual = Member("counterfactual", orNull: .text) {
    $0.explanation.counterfactualText
  }
  package let without = Member(
    "without", orNull: .payload(CounterfactualPayload.self), CounterfactualPayload.meaning
  ) { past in past.explanation.counterfactual.map { Zoned($0, in: past.zone) } }
  package let members = Member(
    "members", optional: .list(.text), "The reminders of a digest's members"
  ) { $0.past.message.memberReminders }
  package let digest = Member("digest", optional: .text) { $0.digest }
  package let discreet = Member(
    "discreet", optional: .list(.payload(DiscreetUsePayload.self)), DiscreetUsePayload.meaning
  ) { $0.past.discreetTextUses.isEmpty ? nil : $0.past.discreetTextUses }
  package let deliveries = Member("deliveries", .list(.payload(DeliveryStatePayload.self))) {
    past in
    past.deliveries.map { Zoned($0, in: past.zone) }
  }
}

package struct VerdictPayload: Payload {
  package struct Value {
    let gate: Gate
    let verdict: String
  }

  package static let shape = PayloadShape(Self())

  package let gate = Member("gate", .text) { $0.gate.reason }
  package let verdict = Member("verdict", .text) { $0.verdict }
}

package struct DeliveryStatePayload: Payload {
  package typealias Value = Zoned<DeliveryState>
  package static let shape = PayloadShape(Self())
  /// The states of a delivery without a report, except `failed`, which is also a state of reports.
  private static let progressWords = ["waiting", "accepted", "retrying", "dead_letter", "dropped"]

  package let sink = Member("sink", .text) { $0.content.sink }
  package let channel = Member("channel", .text) { $0.content.channel.name }
  package let state = Member(
    "state", .word(progressWords + DeliveryReport.State.allCases.map(\.rawValue))
  ) { $0.content.reportedState?.rawValue ?? $0.content.progress.fields.state }
  package let failedAttempts = Member("failedAttempts", optional: .count) {
    $0.content.progress.fields.failed
  }
  package let next = Member("next", optional: .instant) { $0.content.progress.fields.next }
  package let nextLocal = Member("nextLocal", optional: .localTime) { delivery in
    delivery.content.progress.fields.next.map(delivery.local)
  }
  package let reason = Member("reason", optional: .text) { $0.content.stateReason }
  package let attempts = Member("attempts", optional: .list(.payload(LocalAttemptPayload.self))) {
    delivery in
    let attempts = delivery.content.attempts
    return attempts.isEmpty ? nil : attempts.map { Zoned($0, in: delivery.zone) }
  }
}

extension DeliveryState {
  /// The reason for the state, including a state that the gates caused.
  fileprivate var stateReason: String? {
    if report == nil, case .dropped(let reason) = progress { return reason }
    return obstacle
  }
}

extension DeliveryState.Progress {
  /// The values of the payload's members.
  fileprivate var fields: (state: String, failed: Int?, next: Instant?) {
    switch self {
    case .waiting: ("waiting", nil, nil)
    case .delivered: ("accepted", nil, nil)
    case .retrying(let attempts, let due, _): ("retrying", attempts, due)
    case .dead(let attempts, _): ("dead_letter", attempts, nil)
    case .failed: ("failed", nil, nil)
    case .dropped: ("dropped", nil, nil)
    }
  }
}

// MARK: - Attempts

package struct AttemptPayload: Payload {
  package typealias Value = Attempt
  package static let shape = PayloadShape(Self())

  package let target = Members(AttemptTargetPayload.self) { $0 }
  package let answer = Members(AttemptAnswerPayload.self) { $0 }
}

/// An attempt with its time on the recipient's clock.
package struct LocalAttemptPayload: Payload {
  package typealias Value = Zoned<Attempt>
  package static let shape = PayloadShape(Self())

  package let target = Members(AttemptTargetPayload.self) { $0.content }
  package let local = Member("local", .localTime) { $0.local($0.content.at) }
  package let answer = Members(AttemptAnswerPayload.self) { $0.content }
}

package struct AttemptTargetPayload: Payload {
  package typealias Value = Attempt
  package static let shape = PayloadShape(Self())

  package let channel = Member("channel", .text) { $0.channel.name }
  package let sink = Member("sink", .text) { $0.sink }
  package let at = Member("at", .instant) { $0.at }
}

package struct AttemptAnswerPayload: Payload {
  package typealias Value = Attempt
  package static let shape = PayloadShape(Self())

  package let verdict = Member("verdict", .word(Attempt.Verdict.allCases.map(\.name))) {
    $0.verdict.name
  }
  package let status = Member("status", optional: .text) { $0.status }
  package let excerpt = Member("excerpt", optional: .text) {
    // An excerpt of a sink's response may repeat the delivery's texts, so it is hidden with them.
    $0.excerpt.isEmpty || Texts.areHidden ? nil : $0.excerpt
  }
  package let milliseconds = Member("milliseconds", optional: .count) {
    $0.duration.map { Int($0.milliseconds) }
  }
  package let reason = Member("reason", optional: .text) { $0.reason.isEmpty ? nil : $0.reason }
}
