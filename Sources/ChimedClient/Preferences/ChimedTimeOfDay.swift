/// A local time of day, in whole minutes: `21:30`.
public struct ChimedTimeOfDay: Hashable, Sendable, CustomStringConvertible {
  public let hour: Int
  public let minute: Int

  /// Returns nil unless the hour is from 0 to 23 and the minute from 0 to 59.
  public init?(hour: Int, minute: Int) {
    guard (0..<24).contains(hour), (0..<60).contains(minute) else { return nil }
    self.hour = hour
    self.minute = minute
  }

  /// Returns nil unless the text has the form `HH:mm`.
  public init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 && $0.first != "+" }),
      let hour = Int(parts[0]), let minute = Int(parts[1])
    else { return nil }
    self.init(hour: hour, minute: minute)
  }

  public var description: String {
    [hour, minute].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
  }
}

extension ChimedTimeOfDay: ChimedSettingValue {
  public var chimedValue: ChimedValue { .string(description) }

  public init?(_ value: ChimedValue) {
    guard case .string(let text) = value else { return nil }
    self.init(text)
  }
}
