package import CivilTime

/// A step of an event between its acceptance and its deliveries, as part of the event's trace (rule
/// H25). It contains no text and no recipient.
package struct TraceSpan: Hashable, Sendable {
  package enum Kind: Int, Sendable {
    case inner = 1
    case client = 3
    case consumer = 5
  }

  package struct Attribute: Hashable, Sendable {
    package var name: String
    package var value: String
  }

  /// 32 hexadecimal digits.
  package let trace: String
  /// 16 hexadecimal digits. `parent` has the same form.
  package let identifier: String
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
