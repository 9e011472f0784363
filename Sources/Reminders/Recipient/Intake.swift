package import CivilTime

/// What one request brings for a recipient, until it is folded as a whole (rule E6).
package struct Intake: Sendable {
  private var arrivals: [Arrival] = []
  /// The recipient with what has arrived so far, for whoever judges the next event by it.
  private var foreseen: Recipient?
  private var requestCount = 0
  /// The open entities with those that have arrived; nil while there is room for all.
  private var room: EntityLimit?
  /// What those that have arrived say of things of which another report may name other people.
  private var reports = LatestReports()

  package init() {}

  package var isEmpty: Bool { arrivals.isEmpty }

  /// The recipient with what has arrived so far.
  ///
  /// - Parameter known: the recipient without it.
  package mutating func recipient(
    _ known: Recipient, now: Instant, planner: Planner
  ) -> Recipient {
    if arrivals.isEmpty { return known }
    if let foreseen { return foreseen }
    var recipient = known
    recipient.apply(arrivals, now: now, planner: planner)
    foreseen = recipient
    return recipient
  }

  /// Refuses an event as the recipient would with what has arrived so far.
  ///
  /// - Parameter request: see `Arrival`.
  package mutating func check(
    _ event: Event, reviving request: SettledRequest? = nil, of known: Recipient, now: Instant,
    planner: Planner
  ) throws(Refusal) {
    // To ask for many things at once is not to plan anew for each.
    switch event.content {
    case .request: try known.checkRoom(for: event.identity, beside: requestCount)
    case .report: try checkEntities(event, of: known, planner)
    default:
      var recipient = recipient(known, now: now, planner: planner)
      recipient.revive(request)
      try recipient.check(event, planner: planner)
    }
  }

  /// Counts open entities only where there may be too many.
  private mutating func checkEntities(
    _ event: Event, of known: Recipient, _ planner: Planner
  ) throws(Refusal) {
    guard known.facts.items.count + arrivals.count >= Facts.openEntitiesMax,
      planner.catalog.isLimited(event)
    else { return }
    var room = self.room ?? known.entityRoom(planner)
    if self.room == nil {
      for arrival in arrivals { room.note(arrival.event, of: known.facts, planner) }
    }
    self.room = room
    try room.check(event, of: known.facts, planner)
  }

  /// Returns the latest report of the thing that an event is about, with what has arrived so far.
  package func latestReport(before event: Event, of known: Recipient) -> Item? {
    guard case .report(let report) = event.content, let identifier = report.identifier else {
      return nil
    }
    let items = [known.facts.item(event.symbol, identifier), reports[event]]
    return items.compactMap(\.self).max { $0.stamp < $1.stamp }
  }

  /// Keeps an event that has been found to be sound for the recipient.
  ///
  /// - Parameter arrival: what it is about is settled here, by what came before it.
  package mutating func take(
    _ arrival: Arrival, of known: Recipient, now: Instant, planner: Planner
  ) {
    var arrival = arrival
    if arrival.event.isCommand, !arrivals.isEmpty {
      var recipient = recipient(known, now: now, planner: planner)
      recipient.revive(arrival.request)
      arrival.targets = recipient.targets(of: arrival.event, planner: planner)
    }
    arrivals.append(arrival)
    if planner.catalog.mayWithdraw(arrival.event) {
      reports.note(arrival.event, order: arrival.order)
    }
    room?.note(arrival.event, of: known.facts, planner)
    if case .request = arrival.event.content { requestCount += 1 }
    foreseen?.apply([arrival], now: now, planner: planner)
  }

  /// Folds what has arrived into the facts alone, for a recipient whose planning does not end.
  package func foldFacts(into recipient: inout Recipient, planner: Planner) {
    recipient.fold(arrivals, planner)
  }

  /// Folds what has arrived, and is empty.
  package mutating func fold(into recipient: inout Recipient, now: Instant, planner: Planner) {
    guard !arrivals.isEmpty else { return }
    recipient.apply(arrivals, now: now, planner: planner)
    self = Intake()
  }
}

extension Event {
  /// Whether it is about something that is pending.
  fileprivate var isCommand: Bool {
    switch content {
    case .cancellation, .resumption, .snooze: true
    default: false
    }
  }
}
