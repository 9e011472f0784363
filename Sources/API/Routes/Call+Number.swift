extension Call {
  /// A whole number within a range, from the query.
  func number(
    _ name: String, _ range: ClosedRange<Int>, usually: Int
  ) throws(Problem) -> Int {
    guard let text = parameters[name] else { return usually }
    if let number = Int(text), range.contains(number) { return number }
    throw Problem(
      .invalidParameter,
      "\(name) must be a number from \(range.lowerBound) to \(range.upperBound); it is "
        + "\"\(text.shortened)\"", path: name)
  }
}
