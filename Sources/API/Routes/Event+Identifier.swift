import Reminders

extension Event {
  /// Returns a random identifier for an event that the service itself reports.
  static func newIdentifier() -> String {
    (0..<2).map { _ in String(UInt64.random(in: 0 ... .max), radix: 36) }.joined(separator: "-")
  }
}
