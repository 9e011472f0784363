package import CivilTime

/// Reads the columns of a row, each once and in order.
package protocol RowReader {
  mutating func integer() -> Int64
  mutating func optionalInteger() -> Int64?
  mutating func text() -> String
  mutating func optionalText() -> String?
  mutating func bytes() -> [UInt8]
}

extension RowReader {
  /// Reads an integer and returns its lowest eight bits.
  @inlinable package mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: integer()) }

  @inlinable package mutating func instant() -> Instant { Instant(milliseconds: integer()) }

  @inlinable package mutating func optionalInstant() -> Instant? {
    optionalInteger().map { Instant(milliseconds: $0) }
  }
}
