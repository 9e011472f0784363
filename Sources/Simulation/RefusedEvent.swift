package import Reminders

/// An event that a simulation did not take in, as the service would not have, and why.
package struct RefusedEvent: Sendable, CustomStringConvertible {
  package let event: Event
  package let refusal: Refusal

  package var description: String {
    "event \"\(event.identifier)\" of \"\(event.source)\": \(refusal)"
  }
}
