/// How much of a list is asked for, and from where (rule H3).
enum PageBounds {
  private static let limits = 1...1_000
  private static let usualLimit = 100

  /// How many items there may be on a page.
  static func limit(_ text: String?) throws(Problem) -> Int {
    guard let text else { return usualLimit }
    if let limit = Int(text), limits.contains(limit) { return limit }
    throw Problem(
      .invalidParameter,
      "limit must be a number from \(limits.lowerBound) to "
        + "\(limits.upperBound); it is \"\(text.shortened)\"", path: "limit")
  }

  /// The number of the last item of the page before; 0 for the first page.
  static func number(after text: String?) throws(Problem) -> Int64 {
    guard let text else { return 0 }
    if let number = Int64(text), number >= 0 { return number }
    throw Problem(
      .invalidParameter,
      "after must be the \"next\" of the page before; it is "
        + "\"\(text.shortened)\"", path: "after")
  }
}
