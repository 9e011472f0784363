import JSON

/// How late recipients had their turn, counted between bounds.
struct LatenessCounts: Equatable {
  /// In seconds, ascending.
  var bounds: [Double]
  /// For each bound how many it is the lowest for, and last how many were later than any.
  var counts: [Int64]

  init(bounds: [Double], counts: [Int64]) {
    self.bounds = bounds
    self.counts = counts
  }

  init(_ document: JSONValue) throws(Failure) {
    bounds = (document["bounds"]?.arrayValue ?? []).compactMap(\.numberValue)
    counts = (document["counts"]?.arrayValue ?? []).compactMap(\.integerValue)
    guard counts.count == bounds.count + 1 else {
      throw Failure(
        .protocolError, "the service's answer lacks lateness",
        hint: "chimectl and chimed may be of different versions")
    }
  }

  var count: Int64 { counts.reduce(0, +) }

  /// What was counted since another was.
  func since(_ earlier: LatenessCounts) -> LatenessCounts {
    guard bounds == earlier.bounds else { return self }
    return LatenessCounts(bounds: bounds, counts: zip(counts, earlier.counts).map { $0 - $1 })
  }

  /// The lowest bound that a share of them, from 0 to 1, did not exceed; infinite if they exceeded
  /// the last, and nil if there are none.
  func bound(of share: Double) -> Double? {
    let rank = max(1, Int64((share * Double(count)).rounded(.up)))
    var below: Int64 = 0
    for (bound, count) in zip(bounds + [.infinity], counts) {
      below += count
      if below >= rank { return bound }
    }
    return nil
  }

  /// "≤ 5 ms", "≤ 10 min", "> 12 h", or a dash.
  func text(of share: Double) -> String {
    guard let bound = bound(of: share) else { return "-" }
    guard bound.isFinite else { return "> " + Self.length(bounds.last ?? 0) }
    return "≤ " + Self.length(bound)
  }

  private static func length(_ seconds: Double) -> String {
    if seconds < 1 { return "\(Int((seconds * 1_000).rounded())) ms" }
    guard let whole = UInt64(exactly: seconds) else { return "\(seconds) s" }
    return Countdown.length(whole)
  }
}
