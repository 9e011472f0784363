import Reminders

/// A position in a stream: everything up to it was sent.
///
/// Its text has one of three forms. `k3x-17-push` is the id of a notification with the channel of
/// one delivery. `k3x-17` is the same id for all its channels. `k3x-17-all` means everything that
/// was recorded up to and including that notification, for all recipients.
struct StreamPosition: Hashable, Sendable {
  enum Extent: Hashable, Sendable {
    /// The deliveries of the notification up to this channel were sent.
    case channel(Channel)
    /// All deliveries of the notification were sent.
    case notification
    /// Everything that was recorded up to the notification was sent or is not wanted.
    case everything
  }

  /// The number of the notification; it may be another recipient's if the extent is `everything`.
  var notification: Int64
  /// The notifications that were sent up to the position.
  var extent: Extent

  static func everything(through notification: Int64) -> StreamPosition {
    StreamPosition(notification: notification, extent: .everything)
  }

  init(notification: Int64, extent: Extent) {
    self.notification = notification
    self.extent = extent
  }

  init(_ delivery: Delivery) {
    self.init(notification: delivery.notification, extent: .channel(delivery.channel))
  }

  /// Returns nil if the text has another form or is from another store.
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

  /// Whether a delivery comes after the position.
  func isBefore(_ delivery: Delivery) -> Bool {
    guard delivery.notification == notification else { return delivery.notification > notification }
    guard case .channel(let channel) = extent else { return false }
    return delivery.channel.rawValue > channel.rawValue
  }

  /// Whether a notification may have deliveries after the position.
  func isBefore(notification other: Int64) -> Bool {
    guard other == notification else { return other > notification }
    if case .channel = extent { return true }
    return false
  }
}
