/// An event with its position in the order of arrival, and the data that is needed to apply it to
/// the recipient's facts.
package struct Arrival: Sendable {
  package let event: Event
  /// The event's number in the order of arrival.
  package let order: Int64
  /// The number, in the order of arrival, of the request that the event cancels; nil for other
  /// events, and if the number is unknown.
  package let withdrawn: Int64?
  /// The occurrences that a command affects, as determined on arrival; nil if they are looked up
  /// when the event is applied.
  var targets: [CommandTarget]?
  /// The finished request that a snooze restores; nil if there is none.
  let request: FinishedRequest?

  package init(
    _ event: Event, order: Int64, withdrawn: Int64? = nil, request: FinishedRequest? = nil
  ) {
    self.request = request
    self.event = event
    self.order = order
    self.withdrawn = withdrawn
  }

  package var stamp: Stamp { Stamp(time: event.time, order: order) }
}

/// The event of a requested notification that is finished and has left the facts.
package struct FinishedRequest: Sendable {
  package let event: Event
  /// The request's number in the order of arrival, which is the key of its occurrence.
  package let order: Int64

  package init(_ event: Event, order: Int64) {
    (self.event, self.order) = (event, order)
  }
}

extension Recipient {
  /// Returns the key of a request that has left the facts, if an event snoozes the delivered
  /// notification of this request. Returns nil if the facts have the request, and for other events.
  package func finishedRequestOrder(of event: Event, planner: Planner) -> Int64? {
    guard case .snooze(let symbol, let key?, _, isDelivered: true) = event.content,
      case .request = planner.catalog.reminder(symbol)?.trigger, facts.request(key) == nil
    else { return nil }
    return key
  }

  /// Restores a finished request, which has left the facts, so that its notification can be sent
  /// again.
  package mutating func revive(_ request: FinishedRequest?) {
    guard let request, case .request = request.event.content else { return }
    facts.fold(request.event, order: request.order, memory: nil)
  }
}
