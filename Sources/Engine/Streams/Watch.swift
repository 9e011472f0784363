package import Reminders
import Synchronization

/// The interest of a stream in one recipient, for as long as it is kept.
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

/// Who is to be told when something has been recorded for a recipient.
final class Watchers: Sendable {
  private struct State {
    var signals: [UInt32: [ObjectIdentifier: StreamSignal]] = [:]
    var isOver = false
  }

  private let state = Mutex(State())
  /// Beside the signals, so that a turn finds out for next to nothing that nobody listens.
  private let open = Atomic(0)

  /// How many streams are open.
  var count: Int { open.load(ordering: .acquiring) }

  var isEmpty: Bool { count == 0 }

  func add(_ signal: StreamSignal, for recipient: UInt32, as identity: ObjectIdentifier) {
    let isOver = state.withLock { state in
      state.signals[recipient, default: [:]][identity] = signal
      return state.isOver
    }
    open.add(1, ordering: .releasing)
    if isOver { signal.send(.stopping) }
  }

  func remove(_ identity: ObjectIdentifier, of recipient: UInt32) {
    open.subtract(1, ordering: .releasing)
    state.withLock { state in
      state.signals[recipient]?[identity] = nil
      if state.signals[recipient]?.isEmpty ?? false { state.signals[recipient] = nil }
    }
  }

  /// Ends the streams of recipients who are another node's.
  func end(_ recipients: Set<UInt32>) {
    guard !isEmpty else { return }
    state.withLock { state in
      for (row, listeners) in state.signals where recipients.contains(row) {
        for signal in listeners.values { signal.send(.stopping) }
      }
    }
  }

  /// Ends all streams, and those to come.
  func endAll() {
    state.withLock { state in
      state.isOver = true
      for signal in state.signals.values.flatMap(\.values) { signal.send(.stopping) }
    }
  }

  /// - Parameter recipients: those that a turn has dealt with, and whether they are still there.
  func tell(of recipients: some Sequence<(row: UInt32, isThere: Bool)>) {
    state.withLock { state in
      for (row, isThere) in recipients {
        guard let listeners = state.signals[row] else { continue }
        for signal in listeners.values { signal.send(isThere ? .deliveries : .erasure) }
      }
    }
  }
}

/// What came of the wish to watch what goes out to a recipient.
package enum WatchAnswer: Sendable {
  /// - Parameter place: the id to go on from if nothing comes.
  case watching(Watch, Backlog, place: String)
  case unknownRecipient
  /// The place to go on from is not one of this recipient's, or is no longer.
  case unknownPlace
}

/// What a stream has still to read, kept by the stream from page to page: a few bytes for each
/// notification.
package struct Backlog: Sendable {
  enum Search: Hashable, Sendable {
    /// Not since the stream was last told of something.
    case due
    /// Under way, and to go on with a notification.
    case at(Int64)
    case done
  }

  var place: DeliveryPlace
  /// The notifications behind the place that are not read yet, the latest first.
  var found: [Int64] = []
  var search = Search.due

  init(_ place: DeliveryPlace) {
    self.place = place
  }
}

/// What goes out to a recipient, a page at a time, in the order in which it was recorded.
package struct StreamPage: Sendable {
  package struct Item: Sendable {
    /// The id to go on from.
    package var place: String
    package var delivery: Delivery

    package init(place: String, delivery: Delivery) {
      self.place = place
      self.delivery = delivery
    }
  }

  package var items: [Item] = []
  /// The id to go on from, if the page ends behind its last item.
  package var place: String?
  package var backlog: Backlog
  /// Whether there is more to be read now; also of a page without items.
  package var hasMore = false
}

/// How far a stream has come: everything up to there has been sent.
///
/// It is written as the id of a delivery's notification and its channel, `k3x-17-push`; as the id
/// of a notification, `k3x-17`, which stands for all its channels; or as `k3x-17-all` for whatever
/// was recorded until then, of all recipients.
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

  /// Nil for what is not written so, or is of another store.
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

  /// Whether a delivery comes behind it.
  func isBefore(_ delivery: Delivery) -> Bool {
    guard delivery.notification == notification else { return delivery.notification > notification }
    guard case .channel(let channel) = extent else { return false }
    return delivery.channel.rawValue > channel.rawValue
  }

  /// Whether a notification may have deliveries behind it.
  func isBefore(notification other: Int64) -> Bool {
    guard other == notification else { return other > notification }
    if case .channel = extent { return true }
    return false
  }
}
