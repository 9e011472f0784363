package import CivilTime
import JSON

/// A stored event with its position in the order of arrival.
package struct StoredEvent: Sendable {
  /// The event's number in the order of arrival.
  package var order: Int64
  /// The instant at which the event was accepted.
  package var received: Instant
  package var source: String
  package var identifier: String
  package var type: String
  /// The time when the fact became true.
  package var time: Instant
  /// Whether the app gave the time; otherwise the service set it on arrival.
  package var isTimeGiven: Bool
  /// The event's data as canonical JSON; empty if there is none.
  package var data: [UInt8]

  package init(
    order: Int64, received: Instant, source: String, identifier: String, type: String,
    time: Instant, isTimeGiven: Bool, data: [UInt8]
  ) {
    self.order = order
    self.received = received
    self.source = source
    self.identifier = identifier
    self.type = type
    self.time = time
    self.isTimeGiven = isTimeGiven
    self.data = data
  }
}

extension EventReader {
  /// Converts stored events back to the events that arrived, by the current catalog.
  ///
  /// - Throws: if the catalog no longer declares an event's type, or its data is no longer valid.
  package func arrivals(
    _ events: [StoredEvent], of recipient: String
  ) throws -> [(event: Event, stored: StoredEvent)] {
    let parser = JSONParser()
    return try events.map { stored in
      let data = stored.data.isEmpty ? nil : try parser.parse(stored.data)
      let content = try content(
        data, schema(stored.type), source: stored.source, of: recipient, time: stored.time)
      let event = Event(
        identifier: stored.identifier, source: stored.source, type: stored.type,
        recipient: recipient,
        time: stored.time, isTimeGiven: stored.isTimeGiven, content: content, data: stored.data)
      return (event, stored)
    }
  }
}

/// A stored event as queries return it.
package struct PastEvent: Sendable {
  package var identifier: String
  package var source: String
  package var type: String
  /// The time when the fact became true.
  package var time: Instant
  /// The instant at which the event was accepted.
  package var received: Instant
  /// The event's data as canonical JSON; empty if there is none.
  package var data: [UInt8]

  package init(
    identifier: String, source: String, type: String, time: Instant, received: Instant,
    data: [UInt8]
  ) {
    self.identifier = identifier
    self.source = source
    self.type = type
    self.time = time
    self.received = received
    self.data = data
  }
}
