extension SinkSettings {
  /// A number of bytes, such as "100MB": with a unit of 1,000, or one of 1,024 ("64KiB").
  package mutating func bytes(_ key: String, in range: ClosedRange<Int64>) -> Int64? {
    guard let text = text(key) else { return nil }
    guard let bytes = Self.bytes(text) else {
      refuse(key, "must be a number of bytes such as 500kB, 100MB or 2GiB")
      return nil
    }
    guard range.contains(bytes) else {
      refuse(key, "must be from \(range.lowerBound) to \(range.upperBound) bytes")
      return nil
    }
    return bytes
  }

  /// Nil for what is no such number, or one that 64 bits do not hold.
  package static func bytes(_ text: String) -> Int64? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let unit = text.dropFirst(digits.count).drop { $0 == " " }
    guard let count = Int64(digits), let factor = units[String(unit)] else { return nil }
    let (bytes, overflow) = count.multipliedReportingOverflow(by: factor)
    return overflow ? nil : bytes
  }

  private static let units: [String: Int64] = [
    "": 1, "B": 1, "kB": 1_000, "KB": 1_000, "MB": 1_000_000, "GB": 1_000_000_000, "KiB": 1 << 10,
    "MiB": 1 << 20, "GiB": 1 << 30,
  ]
}
