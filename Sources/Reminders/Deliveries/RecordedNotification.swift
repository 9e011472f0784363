package import CivilTime

/// A stored notification with its retries and attempts.
package struct RecordedNotification: Sendable {
  /// A delivery that its sink has not accepted.
  package struct Retry: Sendable {
    package var sink: String
    package var channel: Channel
    /// The number of failed attempts at this sink.
    package var attempts: Int
    /// The instant of the next attempt; nil for a dead letter.
    package var due: Instant?
    /// The reason that the sink gave.
    package var reason: String

    package init(
      sink: String, channel: Channel, attempts: Int, due: Instant?, reason: String
    ) {
      self.sink = sink
      self.channel = channel
      self.attempts = attempts
      self.due = due
      self.reason = reason
    }
  }

  /// The public id.
  package var identifier: String
  /// The planned instant of the notification's occurrence.
  package var planned: Instant
  /// The instant at which the notification was decided.
  package var at: Instant
  /// The last instant at which the notification may be delivered (rule T7).
  package var expiry: Instant
  package var outcome: Outcome
  package var channels: ChannelSet
  package var isSilent: Bool
  package var trace: GateTrace
  package var message: Message
  /// The deliveries that their sinks have not accepted.
  package var retries: [Retry]
  /// The attempts, in order.
  package var attempts: [Attempt] = []

  package init(
    identifier: String, planned: Instant, at: Instant, expiry: Instant, outcome: Outcome,
    channels: ChannelSet, isSilent: Bool, trace: GateTrace, message: Message, retries: [Retry]
  ) {
    self.identifier = identifier
    self.planned = planned
    self.at = at
    self.expiry = expiry
    self.outcome = outcome
    self.channels = channels
    self.isSilent = isSilent
    self.trace = trace
    self.message = message
    self.retries = retries
  }
}

/// The public id of a notification, such as `k3x-17`. It has the name of the store that recorded
/// the notification, and the notification's number in that store. Only this type formats and parses
/// ids.
package struct NotificationID: Hashable, Sendable, CustomStringConvertible {
  /// The name of the store.
  package let instance: String
  /// The number in the order of decision; the first is 1. The cursor 0 of a sink's queue precedes
  /// all notifications.
  package let number: Int64

  package init(_ instance: String, _ number: Int64) {
    self.instance = instance
    self.number = number
  }

  /// Returns nil for any text that `description` does not produce. The number is decimal, without a
  /// sign or leading zeros, and fits into a signed 64-bit integer.
  package init?(_ text: some StringProtocol) {
    let text = String(text)
    guard let hyphen = text.utf8.lastIndex(of: UInt8(ascii: "-")), hyphen > text.startIndex else {
      return nil
    }
    let digits = text.utf8[hyphen...].dropFirst()
    guard (1...19).contains(digits.count), digits.allSatisfy(Self.isDigit),
      digits.first != UInt8(ascii: "0") || digits.count == 1,
      let number = Int64(String(decoding: digits, as: UTF8.self))
    else { return nil }
    self.init(String(text[..<hyphen]), number)
  }

  /// Returns nil also for an id of another store.
  package init?(_ text: some StringProtocol, of instance: String) {
    self.init(text)
    guard self.instance.utf8.elementsEqual(instance.utf8) else { return nil }
  }

  package var description: String { "\(instance)-\(number)" }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}

/// The progress of a notification on one channel at one sink.
package struct DeliveryState: Hashable, Sendable {
  package enum Progress: Hashable, Sendable {
    /// The delivery is not dispatched yet.
    case waiting
    /// The sink has accepted the delivery.
    case delivered
    /// The delivery waits for another attempt; the reason is the sink's or a gate's.
    case retrying(attempts: Int, due: Instant, reason: String)
    /// The delivery is a dead letter: the sink rejected it, or all attempts failed.
    case dead(attempts: Int, reason: String)
    /// The delivery failed, and another channel is the fallback.
    case failed(reason: String)
    /// The gates dropped the delivery before an attempt.
    case dropped(reason: String)
  }

  /// The sink that has the delivery or had it last.
  package var sink: String
  package var channel: Channel
  package var progress: Progress
  /// The stored attempts at this sink and at previous ones, in order.
  package var attempts: [Attempt] = []

  package init(sink: String, channel: Channel, progress: Progress) {
    self.sink = sink
    self.channel = channel
    self.progress = progress
  }
}
