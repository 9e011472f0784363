package import CivilTime
import JSON

/// A fact about a recipient that an app reported, validated against the catalogs (rules E1, E2).
package struct Event: Sendable {
  /// The immutable members, allocated once because events are copied often.
  private let body: Body
  /// The time when the fact became true: as the app reported it, or else the time of arrival.
  package var time: Instant
  /// The values that few events have; nil if the event has none of them.
  private var additions: Additions?

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

  private final class Additions: Sendable {
    let copies: [Event]
    let trace: TraceContext?

    init?(copies: [Event], trace: TraceContext?) {
      if copies.isEmpty, trace == nil { return nil }
      (self.copies, self.trace) = (copies, trace)
    }
  }

  /// Cases with large values are indirect, so that a copy of the content retains one reference.
  package enum Content: Sendable {
    case profile([ProfileChange])
    case preferences([SettingChange])
    /// An event without data, or with only a number, such as a lesson's day. `isInteractive` means
    /// that the recipient is in the app.
    case happening(number: Int64?, isInteractive: Bool = false)
    /// An event with declared fields, such as its subject and its instants.
    indirect case report(Report)
    indirect case device(DeviceChange)
    indirect case request(RequestedNotification.Content)
    /// Cancels the request with this identity. The request may also arrive later.
    indirect case requestCancellation(EventIdentity)
    /// Cancels a reminder: the occurrence with the key, the next one if the key is nil, or the
    /// series.
    case cancellation(reminder: Symbol, key: Int64?, isSeries: Bool)
    /// Resumes a cancelled reminder: the occurrence with the key, the first one if the key is nil,
    /// or the series.
    case resumption(reminder: Symbol, key: Int64?, isSeries: Bool)
    /// Delays an occurrence of a reminder, the next one if the key is nil. `isDelivered` means that
    /// the occurrence may have been delivered.
    case snooze(reminder: Symbol, key: Int64?, Snooze, isDelivered: Bool = false)
    /// The recipient opened a notification, or chose an action of it. The notification is
    /// identified by the id of its delivery.
    indirect case opening(notification: String, action: String?)
    indirect case deliveryReport(DeliveryReport)
    indirect case relation(RelationChange)
    /// Removes all data of the recipient (rule H4).
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

  /// The copies of the event for other recipients. Each is a fact about its recipient.
  package internal(set) var copies: [Event] {
    get { additions?.copies ?? [] }
    set { additions = Additions(copies: newValue, trace: trace) }
  }

  /// The distributed trace that the event is part of. Comparisons of events ignore it, because a
  /// repetition of the event may have another trace.
  package var trace: TraceContext? {
    get { additions?.trace }
    set { additions = Additions(copies: copies, trace: newValue) }
  }

  /// Returns the event with its time raised to `earliest` if it was earlier. The times of its
  /// copies are raised too.
  package func notBefore(_ earliest: Instant) -> Event {
    guard time < earliest else { return self }
    var event = self
    event.time = earliest
    if !copies.isEmpty { event.copies = copies.map { $0.notBefore(earliest) } }
    return event
  }
}

extension Event {
  /// The event's id. With the source, it identifies the event (rule E5).
  package var identifier: String { body.identifier }
  /// The source that the app gave, with the prefix of its caller if there is one.
  package var source: String { body.source }
  package var type: String { body.type }
  /// The type as stored in facts.
  package var symbol: Symbol { body.symbol }
  /// The id of the recipient whom the event is about.
  package var recipient: String { body.recipient }
  /// Whether the app gave the time. If not, a repetition of the event that arrives at another time
  /// is no conflict.
  package var isTimeGiven: Bool { body.isTimeGiven }
  package var content: Content { body.content }
  /// The event's data as canonical JSON, which is stored and compared with repetitions.
  package var data: [UInt8] { body.data }
}

/// The delay of an occurrence (rule N7).
package enum Snooze: Hashable, Sendable {
  /// The occurrence is not sent before this instant.
  case until(Instant)
  /// The occurrence is sent later by this span.
  case by(TimeSpan)

  /// The path of the snooze's member in the event's data.
  var path: String {
    switch self {
    case .until: "data.until"
    case .by: "data.for"
    }
  }
}

/// A device that an event registers, or removes if the token is nil.
package struct DeviceChange: Hashable, Sendable {
  /// The id that the app has given the device.
  package let identifier: String
  /// `ios`, `android` or `web`; empty for a removal.
  package let platform: String
  /// The token of the push service, or the text of a `WebPushSubscription`; nil for a removal.
  package let token: String?
}

/// A field of a recipient's profile that an event sets; a nil value clears it.
package struct ProfileChange: Hashable, Sendable {
  package let field: ProfileField
  package let value: String?
}

/// A field of a recipient that is not a preference. Raw values are stored: never renumber them.
package enum ProfileField: UInt8, CaseIterable, Sendable {
  /// The name of the recipient's zone in the tz database.
  case timezone = 1
  /// The recipient's language, such as de-AT.
  case locale = 2
  case email = 3
  /// A telephone number with its country code.
  case phone = 4
  /// The region whose public holidays count, such as US or US-CA.
  case holidays = 5
  /// The name by which messages address the recipient.
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
  /// The source of events that the service itself reports.
  package static let ownSource = "chimed"

  /// Creates the removal of a device that a push service no longer knows.
  ///
  /// - Parameter time: the last instant at which the device is assumed to have existed.
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

/// The time when a fact became true, with the order of arrival for equal milliseconds.
///
/// Facts follow from events in the order of their stamps (rule E1), so the order of arrival decides
/// only between equal times. For example, of two events without a time in one batch, the second is
/// the later fact.
package struct Stamp: Hashable, Comparable, Sendable {
  package let time: Instant
  /// The event's number in the order of arrival.
  package let order: Int64

  package init(time: Instant, order: Int64) {
    self.time = time
    self.order = order
  }

  package static func < (left: Stamp, right: Stamp) -> Bool {
    left.time == right.time ? left.order < right.order : left.time < right.time
  }
}
