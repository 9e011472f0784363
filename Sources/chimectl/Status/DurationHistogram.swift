import API
import JSON

/// A histogram of lateness or latency.
struct DurationHistogram: Equatable {
  /// The upper bounds of the buckets, in seconds, ascending.
  var bounds: [Double]
  /// The number of values in each bucket; the last bucket has the values beyond all bounds.
  var counts: [Int64]

  init(bounds: [Double], counts: [Int64]) {
    self.bounds = bounds
    self.counts = counts
  }

  init(_ document: JSONValue) throws(CommandError) {
    try self.init(Answer<HistogramPayload>(document))
  }

  init(_ histogram: Answer<HistogramPayload>) throws(CommandError) {
    bounds = try histogram.bounds
    counts = try histogram.counts
    guard counts.count == bounds.count + 1 else {
      throw CommandError(lacking: "lateness or latency")
    }
  }

  var count: Int64 { counts.reduce(0, +) }

  /// Returns the histogram of the values counted since an earlier histogram. Returns this histogram
  /// if the bounds differ.
  func since(_ earlier: DurationHistogram) -> DurationHistogram {
    guard bounds == earlier.bounds else { return self }
    return DurationHistogram(bounds: bounds, counts: zip(counts, earlier.counts).map { $0 - $1 })
  }

  /// The histogram as text, with a character for each bucket. The scale is logarithmic, so that a
  /// few very late values are visible among many punctual ones.
  var sparkline: String {
    let signs = Array("▁▂▃▄▅▆▇█")
    let weights = counts.map { Int64.bitWidth - max($0, 0).leadingZeroBitCount }
    let maximum = max(weights.max() ?? 0, 1)
    return String(weights.map { $0 == 0 ? " " : signs[($0 * signs.count - 1) / maximum] })
  }

  /// Returns the upper bound, in seconds, of the bucket that contains a quantile (0 to 1). Infinite
  /// for the last bucket; nil without values.
  func bound(of quantile: Double) -> Double? {
    let rank = max(1, Int64((quantile * Double(count)).rounded(.up)))
    var cumulativeCount: Int64 = 0
    for (bound, count) in zip(bounds + [.infinity], counts) {
      cumulativeCount += count
      if cumulativeCount >= rank { return bound }
    }
    return nil
  }

  /// Returns a text such as "≤ 5 ms", "≤ 10 min", "> 12 h", or a dash.
  func text(of quantile: Double) -> String {
    guard let bound = bound(of: quantile) else { return "-" }
    guard bound.isFinite else { return "> " + Self.durationText(bounds.last ?? 0) }
    return "≤ " + Self.durationText(bound)
  }

  private static func durationText(_ seconds: Double) -> String {
    if seconds < 1 { return "\(Int((seconds * 1_000).rounded())) ms" }
    guard let whole = UInt64(exactly: seconds) else { return "\(seconds) s" }
    return Countdown.length(whole)
  }
}
