package import CivilTime

/// A step of an event between its acceptance and its deliveries, as part of the event's distributed
/// trace (rule H25). It contains no text and no recipient.
package struct TraceSpan: Hashable, Sendable {
  /// The kind of a span by OpenTelemetry, with its number in OTLP.
  package enum Kind: Int, Sendable {
    /// A step within the service.
    case inner = 1
    /// A call to a sink's service.
    case client = 3
    /// The acceptance of an app's event.
    case consumer = 5
  }

  package struct Attribute: Hashable, Sendable {
    package var name: String
    package var value: String
  }

  /// The id of the trace: 32 hexadecimal digits.
  package let trace: String
  /// The id of the span: 16 hexadecimal digits.
  package let identifier: String
  /// The id of the parent span, which may be an app's: 16 hexadecimal digits.
  package let parent: String
  package let name: String
  package let kind: Kind
  package let start: Instant
  /// The end of the step; nil if the step ends when its engine cycle is on disk.
  package var end: Instant?
  package let attributes: [Attribute]
  /// Whether a sink did not accept the delivery.
  package let hasFailed: Bool
}
