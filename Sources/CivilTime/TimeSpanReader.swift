/// Parses the text of one ``TimeSpan``.
struct TimeSpanReader {
  private var rest: ArraySlice<UInt8>
  /// The milliseconds of the parts that were read.
  private var total: Int64 = 0
  /// The milliseconds of the last unit that was read; each following unit must be shorter.
  private var lastUnit = Int64.max

  init(_ text: String) {
    rest = Array(text.utf8)[...]
  }

  /// Returns the span's milliseconds; nil if the text is malformed, or if the span is longer than
  /// ``TimeSpan/longest``.
  mutating func read() -> Int64? {
    let isRead = skip("P") ? readISO() : readCatalog()
    return isRead && rest.isEmpty && lastUnit != .max ? total : nil
  }

  /// Parses the form of catalogs, such as "1d 12h".
  private mutating func readCatalog() -> Bool {
    while let count = readNumber() {
      guard let unit = readCatalogUnit(), add(count, of: unit) else { return false }
      if rest.count > 1 { _ = skip(" ") }
    }
    return true
  }

  /// Parses the text after the "P": date units, then, after a "T", at least one time unit.
  private mutating func readISO() -> Bool {
    while let count = readNumber() {
      guard let unit = readISODateUnit(), add(count, of: unit) else { return false }
    }
    guard skip("T") else { return true }
    guard !rest.isEmpty else { return false }
    while let count = readNumber() {
      guard readISOTime(count) else { return false }
    }
    return true
  }

  /// Parses the unit after a number. Only seconds may have a fraction, of at most three digits.
  private mutating func readISOTime(_ count: Int64) -> Bool {
    guard skip(".") else {
      guard let unit = readISOTimeUnit() else { return false }
      return add(count, of: unit)
    }
    let digits = rest.count
    guard let fraction = readNumber(), digits - rest.count <= 3 else { return false }
    let scale: [Int64] = [100, 10, 1]
    let milliseconds = fraction * scale[digits - rest.count - 1]
    guard skip("S"), add(count, of: 1_000) else { return false }
    total += milliseconds
    return true
  }

  /// Adds a number of units; returns false if the unit is out of order or the span too long.
  private mutating func add(_ count: Int64, of unit: Int64) -> Bool {
    guard unit < lastUnit else { return false }
    lastUnit = unit
    let (product, productOverflows) = count.multipliedReportingOverflow(by: unit)
    let (sum, sumOverflows) = total.addingReportingOverflow(product)
    // Below this limit, adding the milliseconds of a fraction to `total` cannot overflow.
    guard !productOverflows, !sumOverflows, sum <= TimeSpan.longest.milliseconds else {
      return false
    }
    total = sum
    return true
  }

  private mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest = rest.dropFirst()
    return true
  }

  private mutating func readNumber() -> Int64? {
    let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard let number = Digits.number(digits) else { return nil }
    rest = rest.dropFirst(digits.count)
    return Int64(number)
  }

  /// Parses a unit, and returns its milliseconds.
  private mutating func readCatalogUnit() -> Int64? {
    if skip("w") { return 604_800_000 }
    if skip("d") { return 86_400_000 }
    if skip("h") { return 3_600_000 }
    if skip("s") { return 1_000 }
    guard skip("m") else { return nil }
    return skip("s") ? 1 : 60_000
  }

  private mutating func readISODateUnit() -> Int64? {
    if skip("W") { return 604_800_000 }
    return skip("D") ? 86_400_000 : nil
  }

  private mutating func readISOTimeUnit() -> Int64? {
    if skip("H") { return 3_600_000 }
    if skip("M") { return 60_000 }
    return skip("S") ? 1_000 : nil
  }
}
