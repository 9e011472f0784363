/// Sends spans to a collector. Thread-safe.
package protocol SpanExporter: Sendable {
  /// Accepts the spans of an engine cycle that is on disk, and returns at once: it drops spans that
  /// the collector is too slow for.
  func export(_ spans: [TraceSpan])

  var counts: SpanCounts { get }
}
