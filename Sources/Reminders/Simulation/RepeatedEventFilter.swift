/// Separates events that count from events that repeat or contradict another event (rule E5). Among
/// events with the same (source, id), the earliest counts. If several have the earliest time, the
/// first of these in the array counts.
struct RepeatedEventFilter {
  private(set) var accepted: [SimulatedRecipient.StampedEvent] = []
  private(set) var refused: [RefusedEvent] = []

  private struct Identity: Hashable {
    let source: ExactText
    let identifier: ExactText
  }

  /// - Parameter events: the events in the order of their times.
  init(_ events: [SimulatedRecipient.StampedEvent]) {
    var acceptedIndices: [Identity: Int] = [:]
    for stamped in events {
      let event = stamped.event
      let identity = Identity(
        source: ExactText(event.source), identifier: ExactText(event.identifier))
      if let index = acceptedIndices[identity] {
        guard !event.repeats(accepted[index].event) else { continue }
        refused.append(RefusedEvent(event: event, refusal: .used(by: accepted[index].event)))
      } else {
        acceptedIndices[identity] = accepted.count
        accepted.append(stamped)
      }
    }
  }
}

extension Event {
  /// Returns whether the event has the same content as another event with the same source and id.
  fileprivate func repeats(_ other: Event) -> Bool {
    type == other.type && data == other.data && time == other.time
      && ExactText(recipient) == ExactText(other.recipient)
  }
}

extension Refusal {
  fileprivate static func used(by event: Event) -> Refusal {
    Refusal(
      .conflict, path: "id",
      "was used before, at \(event.time) for \(event.type) of \"\(event.recipient)\"; "
        + "give every event an id of its own")
  }
}

/// An event that a simulation refused for the same reason as the service would.
package struct RefusedEvent: Sendable, CustomStringConvertible {
  package let event: Event
  package let refusal: Refusal

  package var description: String {
    "event \"\(event.identifier)\" of \"\(event.source)\": \(refusal)"
  }
}
