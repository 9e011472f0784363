package import Reminders
import Synchronization

/// A stream's registration for one recipient. Releasing it ends the registration.
package final class Watch: Sendable {
  let recipient: UInt32
  private let watchers: Watchers

  init(_ recipient: UInt32, telling signal: StreamSignal, in watchers: Watchers) {
    self.recipient = recipient
    self.watchers = watchers
    watchers.add(signal, for: recipient, as: ObjectIdentifier(self))
  }

  deinit {
    watchers.remove(ObjectIdentifier(self), of: recipient)
  }
}

/// The streams to wake when a notification is recorded, by recipient.
final class Watchers: Sendable {
  private struct State {
    var signals: [UInt32: [ObjectIdentifier: StreamSignal]] = [:]
    var isClosed = false
  }

  private let state = Mutex(State())
  /// Outside the mutex, so that a cycle finds out cheaply that there is no stream.
  private let open = Atomic(0)

  /// The number of open streams.
  var count: Int { open.load(ordering: .acquiring) }

  var isEmpty: Bool { count == 0 }

  func add(_ signal: StreamSignal, for recipient: UInt32, as identity: ObjectIdentifier) {
    let isClosed = state.withLock { state in
      state.signals[recipient, default: [:]][identity] = signal
      return state.isClosed
    }
    open.add(1, ordering: .releasing)
    if isClosed { signal.send(.stopping) }
  }

  func remove(_ identity: ObjectIdentifier, of recipient: UInt32) {
    open.subtract(1, ordering: .releasing)
    state.withLock { state in
      state.signals[recipient]?[identity] = nil
      if state.signals[recipient]?.isEmpty ?? false { state.signals[recipient] = nil }
    }
  }

  /// Ends the streams of recipients that move to another node.
  func end(_ recipients: Set<UInt32>) {
    guard !isEmpty else { return }
    state.withLock { state in
      for (row, listeners) in state.signals where recipients.contains(row) {
        for signal in listeners.values { signal.send(.stopping) }
      }
    }
  }

  /// Ends all streams, current and future.
  func endAll() {
    state.withLock { state in
      state.isClosed = true
      for signal in state.signals.values.flatMap(\.values) { signal.send(.stopping) }
    }
  }

  /// - Parameter recipients: the recipients that a cycle has changed, and whether they still exist.
  func wake(_ recipients: some Sequence<(row: UInt32, isThere: Bool)>) {
    state.withLock { state in
      for (row, isThere) in recipients {
        guard let listeners = state.signals[row] else { continue }
        for signal in listeners.values { signal.send(isThere ? .deliveries : .erasure) }
      }
    }
  }
}

/// The answer to a request to watch a recipient.
package enum WatchAnswer: Sendable {
  /// - Parameter place: the position to resume from if no delivery follows.
  case watching(Watch, Backlog, place: String)
  case unknownRecipient
  /// The position to continue from is not, or no longer, one of this recipient.
  case unknownPlace
  /// Another node owns the recipient's shard, and only its engine signals new deliveries.
  case elsewhere(shard: Int)
}

/// The unread notifications of a stream, which the stream passes from page to page: 8 bytes for
/// each.
package struct Backlog: Sendable {
  enum Search: Hashable, Sendable {
    /// A search is needed since the latest signal.
    case due
    /// The search continues at this notification.
    case at(Int64)
    case done
  }

  var place: DeliveryPlace
  /// The unread notifications behind the position, newest first.
  var found: [Int64] = []
  var search = Search.due

  init(_ place: DeliveryPlace) {
    self.place = place
  }
}

/// A page of deliveries to a recipient, in the order in which they were recorded.
package struct StreamPage: Sendable {
  package struct Item: Sendable {
    /// The position to resume from.
    package var place: String
    package var delivery: Delivery

    package init(place: String, delivery: Delivery) {
      self.place = place
      self.delivery = delivery
    }
  }

  package var items: [Item] = []
  /// The position to resume from, if it is behind the last item.
  package var place: String?
  package var backlog: Backlog
  /// Whether more can be read now, even if this page is empty.
  package var hasMore = false
}

/// A position in a stream: everything up to it was sent.
///
/// Its text is the id of a delivery's notification and its channel (`k3x-17-push`), the id of a
/// notification (`k3x-17`) for all its channels, or `k3x-17-all` for everything recorded until then
/// for all recipients.
struct DeliveryPlace: Hashable, Sendable {
  enum Extent: Hashable, Sendable {
    case channel(Channel)
    case notification
    case everything
  }

  var notification: Int64
  var extent: Extent

  static func everything(through notification: Int64) -> DeliveryPlace {
    DeliveryPlace(notification: notification, extent: .everything)
  }

  init(notification: Int64, extent: Extent) {
    self.notification = notification
    self.extent = extent
  }

  init(_ delivery: Delivery) {
    self.init(notification: delivery.notification, extent: .channel(delivery.channel))
  }

  /// Nil if the text has another form or is from another store.
  init?(_ text: String, instance: String) {
    if let identifier = NotificationID(text, of: instance) {
      self.init(notification: identifier.number, extent: .notification)
      return
    }
    guard let hyphen = text.lastIndex(of: "-"),
      let identifier = NotificationID(text[..<hyphen], of: instance),
      let extent = Self.extent(String(text[hyphen...].dropFirst()))
    else { return nil }
    self.init(notification: identifier.number, extent: extent)
  }

  private static func extent(_ word: String) -> Extent? {
    word == everything ? .everything : Channel(name: word).map { .channel($0) }
  }

  private static let everything = "all"

  func text(instance: String) -> String {
    let text = NotificationID(instance, notification).description
    return switch extent {
    case .channel(let channel): "\(text)-\(channel.name)"
    case .notification: text
    case .everything: "\(text)-\(Self.everything)"
    }
  }

  /// Whether a delivery is behind the position.
  func isBefore(_ delivery: Delivery) -> Bool {
    guard delivery.notification == notification else { return delivery.notification > notification }
    guard case .channel(let channel) = extent else { return false }
    return delivery.channel.rawValue > channel.rawValue
  }

  /// Whether a notification may have deliveries behind the position.
  func isBefore(notification other: Int64) -> Bool {
    guard other == notification else { return other > notification }
    if case .channel = extent { return true }
    return false
  }
}
