/// Sends spans to a collector. Thread-safe.
package protocol SpanExporter: Sendable {
  /// Accepts the spans of an engine cycle that is on disk, and returns at once. If the collector is
  /// too slow, spans are dropped.
  func export(_ spans: [TraceSpan])

  var counts: SpanCounts { get }
}
