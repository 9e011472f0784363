package import CivilTime

/// Writes the columns of a row, each once and in order.
package protocol RowWriter {
  mutating func put(integer: Int64)
  mutating func put(optionalInteger: Int64?)
  mutating func put(text: String)
  mutating func put(optionalText: String?)
  mutating func put(bytes: [UInt8])
}

extension RowWriter {
  @inlinable package mutating func put(instant: Instant) { put(integer: instant.milliseconds) }

  @inlinable package mutating func put(optionalInstant: Instant?) {
    put(optionalInteger: optionalInstant?.milliseconds)
  }
}
