package import CivilTime
import Engine
import JSON
import Reminders

/// A step of a test notification.
package struct TestLine {
  package enum Step: String, CaseIterable, Sendable {
    /// The first line: whether the channel can reach the recipient.
    case decided, unreachable
    /// A sink got the delivery.
    case dispatched
    /// A sink answered an attempt; another attempt is scheduled; or a sink accepted the delivery.
    case attempted, next, delivered
    case deadLetter = "dead_letter"
    /// The channel has no sink; the notification is in the inbox.
    case inbox
    /// The wait is over, and the test has not ended.
    case waiting
  }

  var step: Step
  /// The notification's id.
  var notification: String?
  var sink: String?
  var channel: Channel?
  /// The sinks of the channel, in order of fallback.
  var route: [String]?
  /// When the sink got the delivery; for `next`, when the attempt is due.
  var at: Instant?
  var attempt: Attempt?
  /// Why the channel cannot reach the recipient, or why the attempt is repeated or given up.
  var reason: String?
}

extension TestLine {
  static func beginning(_ receipt: TestReceipt, _ parameters: TestParameters) -> TestLine {
    TestLine(
      step: receipt.obstacle == nil ? .decided : .unreachable, notification: receipt.notification,
      channel: parameters.channel, route: receipt.sinks, reason: receipt.obstacle)
  }

  init(_ step: TestStep) {
    switch step {
    case .dispatched(let sink, let channel, let at):
      self.init(step: .dispatched, sink: sink, channel: channel, at: at)
    case .attempted(let attempt): self.init(step: .attempted, attempt: attempt)
    case .next(let sink, let channel, let at, let reason):
      self.init(step: .next, sink: sink, channel: channel, at: at, reason: reason)
    case .delivered(let sink): self.init(step: .delivered, sink: sink)
    case .deadLetter(let reason): self.init(step: .deadLetter, reason: reason)
    }
  }

  /// The last line of a test that no step has ended: `inbox` or `waiting`.
  static func end(_ receipt: TestReceipt) -> TestLine {
    TestLine(
      step: receipt.sinks.isEmpty ? .inbox : .waiting, notification: receipt.notification)
  }
}

package struct TestLinePayload: Payload {
  package typealias Value = TestLine
  package static let shape = PayloadShape(Self(), as: .testLine)

  package let step = Member("step", .word) { $0.step }
  package let notification = Member("notification", optional: .text) { $0.notification }
  package let sink = Member("sink", optional: .text) { $0.sink }
  package let channel = Member("channel", optional: .channel) { $0.channel }
  package let route = Member(
    "route", optional: .list(.text), "The possible sinks, in order of fallback"
  ) { $0.route }
  package let at = Member("at", optional: .instant) { $0.at }
  package let attempt = Member("attempt", optional: .payload(AttemptPayload.self)) { $0.attempt }
  package let reason = Member("reason", optional: .text) { $0.reason }
}
