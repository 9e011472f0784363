package import CivilTime

/// When a person opened notifications of late, counted by the quarter of an hour: what the best
/// hour of their day is found from (rule M3).
///
/// No clock differs from UTC by a part of a quarter, so the hours and days of every zone are made
/// of whole ones, and a change of zone needs no more than these. Bounded by the quarters that 31
/// days have, 2,976; commutative, for what is let go is what any order would have let go.
package struct Opens: Hashable, Sendable {
  package struct Quarter: Hashable, Sendable {
    /// How many quarters after the start of 1970 it begins.
    package let number: Int64
    package fileprivate(set) var count: Int64
  }

  /// Ascending.
  package private(set) var quarters: [Quarter] = []

  /// The 28 days that count, the day that is under way, and what travel adds to one.
  private static let memory = TimeSpan.days(31).milliseconds / length
  private static let length = TimeSpan.minutes(15).milliseconds

  package init() {}

  package var isEmpty: Bool { quarters.isEmpty }

  /// Notes that a notification was opened.
  mutating func record(_ instant: Instant) {
    let number = Self.number(of: instant)
    let latest = max(number, quarters.last?.number ?? number)
    guard number >= latest - Self.memory else { return }
    let index = quarters.lastIndex { $0.number <= number }
    if let index, quarters[index].number == number {
      quarters[index].count += 1
    } else {
      quarters.insert(Quarter(number: number, count: 1), at: index.map { $0 + 1 } ?? 0)
    }
    if let first = quarters.first, first.number < latest - Self.memory {
      quarters.removeAll { $0.number < latest - Self.memory }
    }
  }

  /// How often notifications were opened in each hour of the day, from 0 to 23, on a zone's clock.
  ///
  /// - Parameters:
  ///   - start: the first instant that counts.
  ///   - end: the first that does not any more.
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
  /// No instant that is written with a year of four digits is as far from 1970 as this.
  private static let numbers: ClosedRange<Int64> = -1 << 40...1 << 40
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
