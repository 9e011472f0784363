package import CivilTime

/// The events of one request for a recipient, collected until they are folded together (rule E6).
package struct Intake: Sendable {
  private var arrivals: [Arrival] = []
  /// The recipient with the arrivals folded, to check the next event; nil if not computed yet.
  private var foreseen: Recipient?
  private var requestCount = 0
  /// The open entities, including those of the arrivals; nil while the limit is far.
  private var room: EntityLimit?
  /// The latest reports among the arrivals, for event types that may cause withdrawals.
  private var reports = LatestReports()

  package init() {}

  package var isEmpty: Bool { arrivals.isEmpty }

  /// Returns the recipient with the arrivals folded.
  ///
  /// - Parameter known: the recipient without them.
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

  /// Checks an event against the recipient with the arrivals folded.
  ///
  /// - Parameter request: see `Arrival`.
  /// - Throws: a refusal if the recipient refuses the event.
  package mutating func check(
    _ event: Event, reviving request: SettledRequest? = nil, of known: Recipient, now: Instant,
    planner: Planner
  ) throws(Refusal) {
    // Requests and reports are checked without folding, so that a large batch is planned only once.
    switch event.content {
    case .request: try known.checkRoom(for: event.identity, beside: requestCount)
    case .report: try checkEntities(event, of: known, planner)
    default:
      var recipient = recipient(known, now: now, planner: planner)
      recipient.revive(request)
      try recipient.check(event, planner: planner)
    }
  }

  /// Checks the limit of open entities. Counts them only if there may be too many.
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

  /// Returns the latest report, of one type, of the entity that an event is about, including the
  /// arrivals; nil if there is none.
  package func latestReport(
    of type: Symbol, before event: Event, of known: Recipient
  ) -> Item? {
    guard let identifier = event.entity else { return nil }
    let items = [known.facts.item(type, identifier), reports[event, type]]
    return items.compactMap(\.self).max { $0.stamp < $1.stamp }
  }

  /// Adds an event that has passed `check`. The targets of a command are resolved here, after the
  /// arrivals before it.
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

  /// Folds the arrivals into the facts without planning, for a recipient whose planning exceeds its
  /// bound.
  package func foldFacts(into recipient: inout Recipient, planner: Planner) {
    recipient.fold(arrivals, planner)
  }

  /// Folds the arrivals, plans, and becomes empty.
  package mutating func fold(into recipient: inout Recipient, now: Instant, planner: Planner) {
    guard !arrivals.isEmpty else { return }
    recipient.apply(arrivals, now: now, planner: planner)
    self = Intake()
  }
}

extension Event {
  /// Whether it is a command about occurrences.
  fileprivate var isCommand: Bool {
    switch content {
    case .cancellation, .resumption, .snooze: true
    default: false
    }
  }
}
