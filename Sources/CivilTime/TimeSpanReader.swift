/// Reads one ``TimeSpan`` text from its start to its end.
struct TimeSpanReader {
  private var rest: ArraySlice<UInt8>
  private var total: Int64 = 0
  /// The unit read last: units come from the longest to the shortest, each once.
  private var unit = Int64.max

  init(_ text: String) {
    rest = Array(text.utf8)[...]
  }

  /// The span's milliseconds; nil if the text is malformed or the sum overflows.
  mutating func read() -> Int64? {
    let isRead = take("P") ? readISO() : readCatalog()
    return isRead && rest.isEmpty && unit != .max ? total : nil
  }

  private mutating func readCatalog() -> Bool {
    while let count = takeNumber() {
      guard let next = takeCatalogUnit(), add(count, of: next) else { return false }
      if rest.count > 1 { _ = take(" ") }
    }
    return true
  }

  /// Reads what follows the "P": units of dates, then, after a "T", at least one of times.
  private mutating func readISO() -> Bool {
    while let count = takeNumber() {
      guard let next = takeISODateUnit(), add(count, of: next) else { return false }
    }
    guard take("T") else { return true }
    guard !rest.isEmpty else { return false }
    while let count = takeNumber() {
      guard readISOTime(count) else { return false }
    }
    return true
  }

  /// Only seconds may have a fraction, and only one of whole milliseconds.
  private mutating func readISOTime(_ count: Int64) -> Bool {
    guard take(".") else {
      guard let next = takeISOTimeUnit() else { return false }
      return add(count, of: next)
    }
    let digits = rest.count
    guard let fraction = takeNumber(), digits - rest.count <= 3 else { return false }
    let scale: [Int64] = [100, 10, 1]
    let milliseconds = fraction * scale[digits - rest.count - 1]
    guard take("S"), add(count, of: 1_000) else { return false }
    total += milliseconds
    return true
  }

  private mutating func add(_ count: Int64, of next: Int64) -> Bool {
    guard next < unit else { return false }
    unit = next
    let (product, isTooLong) = count.multipliedReportingOverflow(by: next)
    let (sum, isOverflow) = total.addingReportingOverflow(product)
    // Room for the milliseconds of a fraction is part of the limit.
    guard !isTooLong, !isOverflow, sum <= TimeSpan.longest.milliseconds else { return false }
    total = sum
    return true
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest = rest.dropFirst()
    return true
  }

  private mutating func takeNumber() -> Int64? {
    let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard let number = Digits.number(digits) else { return nil }
    rest = rest.dropFirst(digits.count)
    return Int64(number)
  }

  private mutating func takeCatalogUnit() -> Int64? {
    if take("w") { return 604_800_000 }
    if take("d") { return 86_400_000 }
    if take("h") { return 3_600_000 }
    if take("s") { return 1_000 }
    guard take("m") else { return nil }
    return take("s") ? 1 : 60_000
  }

  private mutating func takeISODateUnit() -> Int64? {
    if take("W") { return 604_800_000 }
    return take("D") ? 86_400_000 : nil
  }

  private mutating func takeISOTimeUnit() -> Int64? {
    if take("H") { return 3_600_000 }
    if take("M") { return 60_000 }
    return take("S") ? 1_000 : nil
  }
}
