/// Selects distributed traces, and receives their spans.
package struct Tracer: Sendable {
  package let sampler: TraceSampler
  package let exporter: any SpanExporter

  package init(_ sampler: TraceSampler, _ exporter: any SpanExporter) {
    (self.sampler, self.exporter) = (sampler, exporter)
  }
}
