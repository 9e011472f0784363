package import CivilTime
import JSON

/// A fact about a recipient that an app reported, validated against the catalogs (rules E1, E2).
package struct Event: Sendable {
  /// What never changes of it, kept once: an event is handed on often.
  private let body: Body
  /// When it was true: as the app said, or the time of arrival.
  package var time: Instant
  /// What others are told of it, as facts about them.
  package internal(set) var copies: [Event] = []
  /// The trace that it is part of. It says nothing of the person: a repetition of the event may
  /// have another one.
  package var trace: TraceContext?

  private final class Body: Sendable {
    let identifier: String
    let source: String
    let type: String
    let symbol: Symbol
    let recipient: String
    let isTimeGiven: Bool
    let content: Content
    let data: [UInt8]

    init(
      _ identifier: String, _ source: String, _ type: String, _ recipient: String,
      _ isTimeGiven: Bool, _ content: Content, _ data: [UInt8]
    ) {
      self.identifier = identifier
      self.source = source
      self.type = type
      symbol = Symbol(type)
      self.recipient = recipient
      self.isTimeGiven = isTimeGiven
      self.content = content
      self.data = data
    }
  }

  package enum Content: Sendable {
    case profile([ProfileChange])
    case preferences([SettingChange])
    /// Something happened; the number is the event's own, such as a lesson's day.
    /// `isInteractive` if the person is in the app.
    case happening(number: Int64?, isInteractive: Bool = false)
    /// Something happened, and the event says of what and when.
    case report(Report)
    case device(DeviceChange)
    case request(RequestedNotification.Content)
    /// An app takes back what it has requested, or is going to: the request's own identity.
    case requestCancellation(EventIdentity)
    /// The person wants no more of a reminder: one occurrence, the next if it has no key, or any.
    case cancellation(reminder: Symbol, key: Int64?, isSeries: Bool)
    /// The person wants back what they have cancelled: one occurrence, the first if it has no key,
    /// or the series.
    case resumption(reminder: Symbol, key: Int64?, isSeries: Bool)
    /// The person wants an occurrence of a reminder later, the next if it has no key;
    /// `isDelivered` if it may have been delivered.
    case snooze(reminder: Symbol, key: Int64?, Snooze, isDelivered: Bool = false)
    /// The person opened a notification, by the id that its delivery carries.
    case opening(notification: String)
    case erasure
  }

  package init(
    identifier: String, source: String, type: String, recipient: String, time: Instant,
    isTimeGiven: Bool, content: Content, data: [UInt8] = []
  ) {
    body = Body(identifier, source, type, recipient, isTimeGiven, content, data)
    self.time = time
  }

  package var identity: EventIdentity {
    EventIdentity(source: source, identifier: identifier)
  }

  /// The same, if it was earlier, at a later time.
  package func notBefore(_ earliest: Instant) -> Event {
    guard time < earliest else { return self }
    var event = Event(
      identifier: identifier, source: source, type: type, recipient: recipient, time: earliest,
      isTimeGiven: isTimeGiven, content: content, data: data)
    event.trace = trace
    return event
  }
}

extension Event {
  package var identifier: String { body.identifier }
  package var source: String { body.source }
  package var type: String { body.type }
  /// The type as facts keep it.
  package var symbol: Symbol { body.symbol }
  package var recipient: String { body.recipient }
  /// Whether the app gave the time itself; a repetition without one is not other content.
  package var isTimeGiven: Bool { body.isTimeGiven }
  package var content: Content { body.content }
  /// The event's data as canonical JSON: what is kept, and what a repetition is compared with.
  package var data: [UInt8] { body.data }
}

/// How much later a person wants something (rule N4).
package enum Snooze: Hashable, Sendable {
  /// Not before this.
  case until(Instant)
  /// So much later than it would be.
  case by(TimeSpan)

  /// The member of the event's data that has it.
  var path: String {
    switch self {
    case .until: "data.until"
    case .by: "data.for"
    }
  }
}

/// A device that an event registers, or removes if it has no token.
package struct DeviceChange: Hashable, Sendable {
  package let identifier: String
  package let platform: String
  package let token: String?
}

/// One field of a person's profile that an event sets; nil clears it.
package struct ProfileChange: Hashable, Sendable {
  package let field: ProfileField
  package let value: String?
}

/// What is known of a person beside their preferences. Raw values are stored: never renumber.
package enum ProfileField: UInt8, CaseIterable, Sendable {
  case timezone = 1
  case locale = 2
  case email = 3
  case phone = 4
  case holidays = 5
  case name = 6

  package var name: String {
    switch self {
    case .timezone: "timezone"
    case .locale: "locale"
    case .email: "email"
    case .phone: "phone"
    case .holidays: "holidays"
    case .name: "name"
    }
  }

  package init?(name: String) {
    guard let field = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = field
  }
}

extension Event {
  /// Who reports what the service itself finds out.
  package static let ownSource = "chimed"

  /// Says that a push service does not know a device any more.
  ///
  /// - Parameter time: when it was still taken to be there.
  package init(
    removing device: String, of recipient: String, at time: Instant, identifier: String
  ) {
    self.init(
      identifier: identifier, source: Self.ownSource, type: "device.removed",
      recipient: recipient, time: time, isTimeGiven: false,
      content: .device(DeviceChange(identifier: device, platform: "", token: nil)),
      data: JSONWriter.canonical(["deviceId": .string(device)]))
  }
}

/// When a fact became true, and which of two at the same millisecond was reported later.
///
/// Facts are folded by stamp (rule E1), so their arrival order matters only as the tie-breaker: an
/// app that sends two without a time in one batch means the second to win.
package struct Stamp: Hashable, Comparable, Sendable {
  package let time: Instant
  /// The event's place in the order of arrival.
  package let order: Int64

  package init(time: Instant, order: Int64) {
    self.time = time
    self.order = order
  }

  package static func < (left: Stamp, right: Stamp) -> Bool {
    left.time == right.time ? left.order < right.order : left.time < right.time
  }
}
