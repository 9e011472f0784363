/// A slot of a level; places are in the order of the times they stand for.
///
/// A level has 64 slots, so it reads one digit to base 64 of a deadline, level 0 the lowest. A
/// deadline belongs to the level of the highest digit in which it differs from the wheel's time,
/// and there to the slot that is that digit. Hence it is later than all deadlines on the levels
/// below and in the slots before. It still belongs there as the wheel's time goes on, until that
/// comes to its slot. Eleven levels read all of an `Int64`.
struct Place: Comparable {
  static let bitsPerLevel = 6
  static let slotsPerLevel = 1 << bitsPerLevel
  static let levelCount = (Int64.bitWidth + bitsPerLevel - 1) / bitsPerLevel
  static let count = levelCount * slotsPerLevel

  let index: Int

  @inline(__always)
  init(index: Int) { self.index = index }

  @inline(__always)
  init(level: Int, slot: Int) { index = level &<< Self.bitsPerLevel | slot }

  /// Where a deadline belongs that is not before `time`.
  @inline(__always)
  init(of deadline: Int64, from time: Int64) {
    // The lowest bit decides nothing but that there is a highest, if the two are the same.
    let difference = UInt64(bitPattern: deadline ^ time) | 1
    let highestBit = 63 &- difference.leadingZeroBitCount
    let level = highestBit / Self.bitsPerLevel
    // With the sign bit turned over, the digits of negative deadlines come before the others.
    let digits = UInt64(bitPattern: deadline ^ .min) &>> UInt64(level &* Self.bitsPerLevel)
    self.init(level: level, slot: Int(truncatingIfNeeded: digits) & (Self.slotsPerLevel - 1))
  }

  @inline(__always)
  var level: Int { index &>> Self.bitsPerLevel }

  @inline(__always)
  var slot: Int { index & (Self.slotsPerLevel - 1) }

  @inline(__always)
  static func < (left: Place, right: Place) -> Bool { left.index < right.index }
}
