package import CivilTime

/// A notification as it is kept, with what came of it.
package struct KeptNotification: Sendable {
  /// A delivery of it that a sink has not taken.
  package struct Retry: Sendable {
    package var sink: String
    package var channel: Channel
    package var attempts: Int
    /// When it is attempted next; nil for a dead letter.
    package var due: Instant?
    /// What the sink said.
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

  package var identifier: String
  package var planned: Instant
  package var at: Instant
  package var expiry: Instant
  package var outcome: Outcome
  package var channels: ChannelSet
  package var isSilent: Bool
  package var trace: GateTrace
  package var message: Message
  package var retries: [Retry]
  /// What became of its attempts, in order.
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

/// What a notification is called outside, such as `k3x-17`: the name of the store that decided it,
/// and its number there. Ids are written and read here and nowhere else.
package struct NotificationID: Hashable, Sendable, CustomStringConvertible {
  package let instance: String
  /// From 1 on, in the order of decision; 0 stands before the first.
  package let number: Int64

  package init(_ instance: String, _ number: Int64) {
    self.instance = instance
    self.number = number
  }

  /// Nil for everything that `description` does not write: the number is decimal, without a sign or
  /// leading zeros, and no more than 64 bits with a sign hold.
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

  /// Nil for the id of another store's, too.
  package init?(_ text: some StringProtocol, of instance: String) {
    self.init(text)
    guard self.instance.utf8.elementsEqual(instance.utf8) else { return nil }
  }

  package var description: String { "\(instance)-\(number)" }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}

/// How far a notification has come on one channel, at one sink.
package struct DeliveryState: Hashable, Sendable {
  package enum Progress: Hashable, Sendable {
    /// Not handed to the sink yet.
    case waiting
    case handedOver
    /// Attempted so often, to be attempted again; the reason is what the sink or a gate said.
    case retrying(attempts: Int, due: Instant, reason: String)
    /// Given up: the sink rejected it, or all attempts failed.
    case dead(attempts: Int, reason: String)
    /// Given up, and another channel took over.
    case failed(reason: String)
    /// The gates did not let it go to the sink in the end.
    case dropped(reason: String)
  }

  package var sink: String
  package var channel: Channel
  package var progress: Progress
  /// What is kept of its attempts at this sink and those before it, in order.
  package var attempts: [Attempt] = []

  package init(sink: String, channel: Channel, progress: Progress) {
    self.sink = sink
    self.channel = channel
    self.progress = progress
  }
}
