package import CivilTime

/// The times at which a recipient recently opened notifications, counted by quarters of an hour.
/// From them `smart` timing chooses the best hour of the day (rule M3).
///
/// Every zone's offset from UTC is a whole number of quarters. So quarters suffice for the hours
/// and days of all zones, even after a change of zone. At most 2,977 quarters are kept: the latest
/// quarter and the quarters of the 31 days before it. The result does not depend on the order of
/// arrival.
package struct Opens: Hashable, Sendable {
  package struct Quarter: Hashable, Sendable {
    /// The number of quarters from the start of 1970 to the start of this quarter.
    package let number: Int64
    /// The number of notifications opened in this quarter.
    package fileprivate(set) var count: Int64
  }

  /// The quarters with openings, ascending.
  package private(set) var quarters: [Quarter] = []

  /// The maximum distance of a kept quarter from the latest one, in quarters of an hour. It covers
  /// the 28 days that count, the current day, and a margin for travel.
  private static let distanceMax = TimeSpan.days(31).milliseconds / length
  /// The length of a quarter in milliseconds.
  private static let length = TimeSpan.minutes(15).milliseconds

  package init() {}

  package var isEmpty: Bool { quarters.isEmpty }

  /// Counts a notification that was opened at an instant.
  mutating func record(_ instant: Instant) {
    let number = Self.number(of: instant)
    let latest = max(number, quarters.last?.number ?? number)
    guard number >= latest - Self.distanceMax else { return }
    let index = quarters.lastIndex { $0.number <= number }
    if let index, quarters[index].number == number {
      quarters[index].count += 1
    } else {
      quarters.insert(Quarter(number: number, count: 1), at: index.map { $0 + 1 } ?? 0)
    }
    if let first = quarters.first, first.number < latest - Self.distanceMax {
      quarters.removeAll { $0.number < latest - Self.distanceMax }
    }
  }

  /// Returns the start of the latest quarter that has an opening and ended at `end` or earlier; nil
  /// if there is none.
  func latest(before end: Instant) -> Instant? {
    let quarter = quarters.last { ($0.number + 1) * Self.length <= end.milliseconds }
    return quarter.map { Instant(milliseconds: $0.number * Self.length) }
  }

  /// Returns how often notifications were opened in each hour of the day, from 0 to 23, in a zone.
  ///
  /// - Parameters:
  ///   - start: the first instant that counts.
  ///   - end: the first instant that does not count.
  package func counts(from start: Instant, to end: Instant, in zone: Zone) -> [Int64] {
    var counts = [Int64](repeating: 0, count: 24)
    let numbers = Self.number(of: start)..<max(Self.number(of: start), Self.number(of: end))
    for quarter in quarters where numbers.contains(quarter.number) {
      let instant = Instant(milliseconds: quarter.number * Self.length)
      counts[zone.local(at: instant).time.hour] += quarter.count
    }
    return counts
  }

  private static func number(of instant: Instant) -> Int64 {
    let remainder = instant.milliseconds % length
    return instant.milliseconds / length - (remainder < 0 ? 1 : 0)
  }
}

extension Opens {
  /// The valid numbers of quarters. The range includes all instants with a year of four digits.
  private static let numbers: ClosedRange<Int64> = -1 << 40...1 << 40
  /// The maximum count of a quarter that is read. A higher one means damaged bytes.
  private static let countMax: UInt64 = 1 << 40

  func write(to writer: inout ByteWriter, since base: Int64) {
    writer.count(quarters.count)
    var previous = base / Self.length
    for quarter in quarters {
      writer.signed(quarter.number - previous)
      writer.unsigned(UInt64(quarter.count))
      previous = quarter.number
    }
  }

  init(from reader: inout ByteReader, since base: Int64) throws(CodingFailure) {
    var previous = base / Self.length
    for index in 0..<(try reader.count()) {
      let number = previous &+ (try reader.signed())
      let count = try reader.unsigned()
      guard Self.numbers.contains(number), index == 0 || number > previous,
        (1...Self.countMax).contains(count)
      else { throw reader.malformed }
      quarters.append(Quarter(number: number, count: Int64(count)))
      previous = number
    }
  }
}
