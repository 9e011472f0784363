package import CivilTime

/// The facts of a recipient at past instants (rule H30): the base of removed events, and the stored
/// events.
package struct FormerFacts: Sendable {
  /// The current state of the recipient.
  private let recipient: Recipient
  let base: FactBase
  /// The stored events in the order of arrival, back to the latest removed one.
  private let events: [StoredEvent]

  package init(of recipient: Recipient, base: FactBase?, events: [StoredEvent]) {
    (self.recipient, self.base, self.events) = (recipient, base ?? FactBase(), events)
  }

  /// The instant from which the facts are known: when the latest removed event arrived, or else the
  /// first event; nil for a recipient without events.
  package var start: Instant? { base.through ?? events.first?.received }

  /// The instants at which the stored events arrived, in order.
  var arrivals: [Instant] { events.map(\.received) }

  /// The recipient's name.
  var name: String { recipient.name }

  /// Returns the facts that the service knew at an instant, with those requests that were finished
  /// by then; nil before `start`.
  ///
  /// - Parameters:
  ///   - planner: returns the planner by which an event that arrived at an instant is read.
  ///   - isOfItsTime: returns whether that planner was current at the instant.
  /// - Complexity: that of `FactBase.fold` for the events until then.
  package func facts(
    at instant: Instant, by planner: (Instant) -> Planner,
    isOfItsTime: (Instant) -> Bool = { _ in true }
  ) -> FactBase? {
    guard let start, instant >= start else { return nil }
    var result = base
    result.add(requestsWithoutEvents)
    result.fold(
      events.filter { $0.received <= instant }, of: recipient.name, by: planner,
      isOfItsTime: isOfItsTime)
    result.rename(by: planner(instant))
    return result
  }

  /// The pending requests whose events are older than the latest removed event. The chain of stored
  /// events does not lead to them.
  private var requestsWithoutEvents: [RequestedNotification] {
    guard base.through != nil else { return [] }
    let first = events.first?.order ?? .max
    return recipient.facts.requests.all.filter { $0.plan.key < first }
  }
}

extension FormerFacts {
  /// Returns the facts without the events that arrived after an instant.
  package func without(eventsAfter end: Instant) -> FormerFacts {
    FormerFacts(of: recipient, base: base, events: events.filter { $0.received <= end })
  }

  /// Returns the numbers of the events that arrived at an instant or later.
  func orders(from start: Instant) -> [Int64] {
    events.filter { $0.received >= start }.map(\.order)
  }

  /// Returns the events that arrived at an instant or later, each as the planner of its time reads
  /// it, to be ingested when it arrived.
  ///
  /// - Parameters:
  ///   - start: the instant from which events are returned; nil returns all.
  ///   - unreadable: collects the numbers of the events that cannot be read.
  func events(
    from start: Instant?, by periods: PlannerPeriods, unreadable: inout Set<Int64>
  ) -> [SimulatedRecipient.StampedEvent] {
    var stamped: [SimulatedRecipient.StampedEvent] = []
    for stored in events where start.map({ stored.received >= $0 }) ?? true {
      let reader = EventReader(planner: periods.planner(at: stored.received))
      guard let event = (try? reader.arrivals([stored], of: name))?.first?.event else {
        unreadable.insert(stored.order)
        continue
      }
      stamped.append(
        SimulatedRecipient.StampedEvent(
          event: event, order: stored.order, arrival: stored.received))
    }
    return stamped
  }
}
