/// The numbers of spans since the start.
package struct SpanCounts: Hashable, Sendable {
  /// Spans that the collector has accepted.
  package var exported = 0
  /// Spans that were dropped, because the queue was full or the collector failed.
  package var dropped = 0

  package init(exported: Int = 0, dropped: Int = 0) {
    (self.exported, self.dropped) = (exported, dropped)
  }
}
