import Reminders

/// The numbers of the messages that many are told, as far as they are known to be stored.
struct MessageCache: Sendable {
  /// As many as that have a few megabytes.
  private static let most = 4_096

  /// By the object, which is compared without being read; it is held, so that no other gets its
  /// place in memory.
  private var objects: [ObjectIdentifier: (message: Message, number: Int64)] = [:]
  private var numbers: [Message: Int64] = [:]

  mutating func number(of message: Message) -> Int64? {
    if let known = objects[ObjectIdentifier(message)] { return known.number }
    guard let number = numbers[message] else { return nil }
    remember(message, number)
    return number
  }

  mutating func add(_ message: Message, _ number: Int64) {
    if numbers.count >= Self.most { numbers.removeAll() }
    numbers[message] = number
    remember(message, number)
  }

  private mutating func remember(_ message: Message, _ number: Int64) {
    if objects.count >= Self.most { objects.removeAll() }
    objects[ObjectIdentifier(message)] = (message, number)
  }
}
