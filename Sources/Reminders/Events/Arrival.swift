/// An event as it has arrived.
package struct Arrival: Sendable {
  package let event: Event
  /// Its place in the order of arrival.
  package let order: Int64
  /// See `Facts.fold`.
  package let withdrawn: Int64?
  /// What a command is about, where that was settled when it came; nil if it is to be looked up.
  var targets: [CommandTarget]?
  /// The settled request that a snooze brings back; nil if it brings back none.
  let request: SettledRequest?

  package init(
    _ event: Event, order: Int64, withdrawn: Int64? = nil, request: SettledRequest? = nil
  ) {
    self.request = request
    self.event = event
    self.order = order
    self.withdrawn = withdrawn
  }

  package var stamp: Stamp { Stamp(time: event.time, order: order) }
}

/// The event that requested a notification which has had its turn and left the facts.
package struct SettledRequest: Sendable {
  package let event: Event
  /// Its place in the order of arrival, which is the key of its occurrence.
  package let order: Int64

  package init(_ event: Event, order: Int64) {
    (self.event, self.order) = (event, order)
  }
}

extension Recipient {
  /// The request that a snooze of what was delivered needs and the facts do not have; nil if it
  /// needs none.
  package func settledRequest(of event: Event, planner: Planner) -> Int64? {
    guard case .snooze(let symbol, let key?, _, isDelivered: true) = event.content,
      case .request = planner.catalog.reminder(symbol)?.trigger, facts.request(key) == nil
    else { return nil }
    return key
  }

  /// Folds a request that has left the facts once more, so that it can be said again.
  package mutating func revive(_ request: SettledRequest?) {
    guard let request, case .request = request.event.content else { return }
    facts.fold(request.event, order: request.order, memory: nil)
  }
}
