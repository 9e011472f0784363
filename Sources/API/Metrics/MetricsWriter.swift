import Reminders

/// Writes the Prometheus text exposition format, version 0.0.4: for each family its help, its type,
/// and then all samples.
struct MetricsWriter {
  enum Kind: String {
    case counter, gauge, histogram
  }

  typealias Labels = [(name: StaticString, value: String)]

  static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  private(set) var text = ""
  /// The name of the family that was begun last.
  private var family = ""

  /// Begins a family; its samples must follow immediately.
  mutating func begin(_ name: StaticString, _ kind: Kind, _ help: StaticString) {
    family = "\(name)"
    text += "# HELP \(family) \(help)\n# TYPE \(family) \(kind.rawValue)\n"
  }

  mutating func sample(_ labels: Labels, _ value: Int) {
    write(labels, "\(value)")
  }

  /// Writes whole numbers without a fraction.
  mutating func sample(_ labels: Labels, _ value: Double) {
    write(labels, Int(exactly: value).map { "\($0)" } ?? "\(value)")
  }

  /// Writes a family with one sample without labels.
  mutating func single(
    _ name: StaticString, _ kind: Kind, _ help: StaticString, _ value: Double
  ) {
    begin(name, kind, help)
    sample([], value)
  }

  mutating func histogram(
    _ name: StaticString, _ help: StaticString, _ histogram: Histogram
  ) {
    begin(name, .histogram, help)
    sample([], histogram)
  }

  mutating func sample(_ labels: Labels, _ histogram: Histogram) {
    var count = 0
    let bounds = histogram.bounds.map { "\($0)" } + ["+Inf"]
    for (bound, bucketCount) in zip(bounds, histogram.counts) {
      count += bucketCount
      write(labels + [("le", bound)], "\(count)", suffix: "_bucket")
    }
    write(labels, "\(histogram.sum)", suffix: "_sum")
    write(labels, "\(count)", suffix: "_count")
  }

  private mutating func write(_ labels: Labels, _ value: String, suffix: String = "") {
    text += family + suffix
    if !labels.isEmpty {
      let pairs = labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }
      text += "{" + pairs.joined(separator: ",") + "}"
    }
    text += " \(value)\n"
  }

  private static func escaped(_ value: String) -> String {
    value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}
