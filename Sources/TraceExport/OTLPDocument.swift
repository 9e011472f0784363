import CivilTime
import Engine
import JSON
import Reminders

/// Spans as the JSON of an `ExportTraceServiceRequest` (OpenTelemetry Protocol 1): ids are
/// hexadecimal, and 64-bit numbers are strings.
struct OTLPDocument {
  private let spans: [TraceSpan]

  init(_ spans: [TraceSpan]) {
    self.spans = spans
  }

  var bytes: [UInt8] { JSONWriter.compact(value) }

  private var value: JSONValue {
    let resource = [("service.name", "chimed"), ("service.version", Version.current)]
    let scope: JSONValue = ["name": "chimed", "version": .string(Version.current)]
    return [
      "resourceSpans": [
        [
          "resource": ["attributes": .array(resource.map { Self.attribute($0, $1) })],
          "scopeSpans": [["scope": scope, "spans": .array(spans.map(Self.value(of:)))]],
        ]
      ]
    ]
  }

  private static func value(of span: TraceSpan) -> JSONValue {
    [
      "traceId": .string(span.trace), "spanId": .string(span.identifier),
      "parentSpanId": .string(span.parent), "name": .string(span.name),
      "kind": .integer(Int64(span.kind.rawValue)),
      "startTimeUnixNano": nanoseconds(span.start),
      "endTimeUnixNano": nanoseconds(span.end ?? span.start),
      "attributes": .array(span.attributes.map { attribute($0.name, $0.value) }),
      // 2 is an error; 0 is unset.
      "status": ["code": span.hasFailed ? 2 : 0],
    ]
  }

  private static func nanoseconds(_ instant: Instant) -> JSONValue {
    .string("\(instant.milliseconds)000000")
  }

  private static func attribute(_ name: String, _ value: String) -> JSONValue {
    ["key": .string(name), "value": ["stringValue": .string(value)]]
  }
}
