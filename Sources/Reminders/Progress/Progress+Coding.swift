import CivilTime

extension Progress {
  private static let version: UInt8 = 1

  /// The compact form that the store keeps.
  package var encoded: [UInt8] {
    var writer = ByteWriter(reserving: 64)
    writer.unsigned(UInt64(Self.version))
    writer.signed(cutoff.milliseconds)
    writer.count(settled.count)
    for entry in settled {
      writer.symbol(entry.reminder)
      writer.signed(entry.key)
      writer.unsigned(UInt64(entry.message))
    }
    writer.count(underWay.count)
    for entry in underWay {
      writer.symbol(entry.reminder)
      writer.signed(entry.key)
      writer.signed(entry.planned.milliseconds)
      writer.signed(entry.due.milliseconds)
      writer.unsigned(UInt64(entry.holds.rawValue))
    }
    return writer.bytes
  }

  package init(decoding bytes: UnsafeRawBufferPointer) throws(CodingFailure) {
    var reader = ByteReader(bytes)
    let version = try reader.byte()
    guard version == Self.version else { throw CodingFailure.version(version) }
    self.init(cutoff: Instant(milliseconds: try reader.signed()))
    for _ in 0..<(try reader.count()) {
      settled.append(
        Settled(
          reminder: try reader.symbol(), key: try reader.signed(),
          message: UInt8(truncatingIfNeeded: try reader.unsigned())))
    }
    for _ in 0..<(try reader.count()) {
      underWay.append(
        UnderWay(
          reminder: try reader.symbol(), key: try reader.signed(),
          planned: Instant(milliseconds: try reader.signed()),
          due: Instant(milliseconds: try reader.signed()),
          holds: GateTrace(rawValue: UInt32(truncatingIfNeeded: try reader.unsigned()))))
    }
    try reader.finish()
  }
}
