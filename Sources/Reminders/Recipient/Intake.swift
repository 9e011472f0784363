package import CivilTime

/// The events of one request for a recipient. They are collected, and then applied to the
/// recipient's facts together (rule E6).
package struct Intake: Sendable {
  private var arrivals: [Arrival] = []
  /// The recipient after the arrivals, against which the next event is checked; nil until it is
  /// computed.
  private var recipientAfterArrivals: Recipient?
  /// The number of arrivals that request notifications.
  private var requestCount = 0
  /// Counts the open entities, including the entities of the arrivals; nil while the limit cannot
  /// be reached.
  private var limit: EntityLimit?
  /// The latest reports among the arrivals, of event types that may withdraw copies of earlier
  /// reports from other recipients.
  private var reports = LatestReports()
  /// The series whose delivered notifications the arrivals snooze. Nil if an arrival is another
  /// kind of event, or if two arrivals are about one series.
  private var snoozed: Set<OccurrenceName>? = []
  /// Finds the targets of snoozes that do not depend on other arrivals; nil until it is needed.
  private var finder: TargetFinder?

  package init() {}

  package var isEmpty: Bool { arrivals.isEmpty }

  /// Returns whether an arrival may end an occurrence about which other people got a message.
  func endsRelays(_ planner: Planner) -> Bool {
    planner.catalog.hasRelays && arrivals.contains { planner.catalog.mayEndRelay($0.event) }
  }

  /// Returns the earliest arrival that ends a device's absence, and when a device was last in use
  /// before that arrival (rule V17). Returns nil if no device has returned.
  ///
  /// - Parameter base: the recipient without the arrivals.
  package func deviceReturn(
    of base: Recipient, now: Instant
  ) -> (lastSeen: Instant, event: Event)? {
    guard arrivals.contains(where: \.event.isSighting) else { return nil }
    var facts = base.facts
    for arrival in arrivals.sorted(by: { $0.event.time < $1.event.time }) {
      if let last = facts.absence(endedBy: arrival.event, now: now) {
        return (last, arrival.event)
      }
      facts.fold(arrival.event, order: arrival.order, memory: nil)
    }
    return nil
  }

  /// Returns the recipient as it is after the arrivals.
  ///
  /// - Parameter base: the recipient without the arrivals.
  package mutating func recipient(
    _ base: Recipient, now: Instant, planner: Planner
  ) -> Recipient {
    if arrivals.isEmpty { return base }
    if let recipientAfterArrivals { return recipientAfterArrivals }
    var recipient = base
    recipient.apply(arrivals, now: now, planner: planner)
    recipientAfterArrivals = recipient
    return recipient
  }

  /// Checks an event against the recipient as it is after the arrivals.
  ///
  /// - Parameter request: the finished request that a snooze restores; see `Arrival`.
  /// - Throws: a refusal if the recipient cannot accept the event.
  package mutating func check(
    _ event: Event, reviving request: FinishedRequest? = nil, of base: Recipient, now: Instant,
    planner: Planner
  ) throws(Refusal) {
    // Requests and reports are checked without applying the arrivals, so that a large batch is
    // planned only once.
    switch event.content {
    case .request: try base.checkRequestLimit(for: event.identity, beside: requestCount)
    case .report: try checkEntities(event, of: base, planner)
    case .snooze where isIndependent(event, planner):
      try checkSnooze(event, reviving: request, of: base, planner)
    default:
      var recipient = recipient(base, now: now, planner: planner)
      recipient.revive(request)
      try recipient.check(event, planner: planner)
    }
  }

  /// Returns whether the event and all arrivals snooze delivered notifications, and no arrival is
  /// about the event's series. If so, the arrivals do not change the event's targets. So the
  /// members of a sent digest can be snoozed without planning for each member.
  private func isIndependent(_ event: Event, _ planner: Planner) -> Bool {
    guard !arrivals.isEmpty, let snoozed,
      let series = event.snoozedSeries(planner.catalog)
    else { return false }
    return !snoozed.contains(series)
  }

  private mutating func checkSnooze(
    _ event: Event, reviving request: FinishedRequest?, of base: Recipient, _ planner: Planner
  ) throws(Refusal) {
    var finder = self.finder.take() ?? finderOfArrivals(base, planner)
    finder.revive(request)
    defer { self.finder = finder }
    try base.check(event, &finder, planner)
  }

  private func finderOfArrivals(_ base: Recipient, _ planner: Planner) -> TargetFinder {
    var finder = TargetFinder(base, planner)
    for arrival in arrivals { finder.revive(arrival.request) }
    return finder
  }

  /// Checks the limit of open entities. The entities are counted only if there may be too many.
  private mutating func checkEntities(
    _ event: Event, of base: Recipient, _ planner: Planner
  ) throws(Refusal) {
    let itemCount = base.facts.items.count + arrivals.count
    guard planner.catalog.mayExceedLimit(event, itemCount: itemCount) else { return }
    var limit = self.limit ?? base.entityLimit(planner)
    if self.limit == nil {
      for arrival in arrivals { limit.note(arrival.event, of: base.facts, planner) }
    }
    self.limit = limit
    try limit.check(event, of: base.facts, planner)
  }

  /// Returns the latest report of one type about an event's entity; nil if there is none. The
  /// remembered reports and the arrivals are searched.
  package func latestReport(
    of type: Symbol, before event: Event, of base: Recipient
  ) -> Item? {
    guard let identifier = event.entity else { return nil }
    let items = [base.facts.item(type, identifier), reports[event, type]]
    return items.compactMap(\.self).max { $0.stamp < $1.stamp }
  }

  /// Adds an event that has passed `check`. If previous arrivals may change the targets of a
  /// command, the targets are found here, after these arrivals have been applied.
  ///
  /// - Parameter base: the recipient without the arrivals. It is evaluated only if it is needed,
  ///   because it is large.
  package mutating func add(
    _ arrival: Arrival, of base: @autoclosure () -> Recipient, now: Instant, planner: Planner
  ) {
    var arrival = arrival
    if arrival.event.isCommand, !arrivals.isEmpty, !isIndependent(arrival.event, planner) {
      var recipient = recipient(base(), now: now, planner: planner)
      recipient.revive(arrival.request)
      arrival.targets = recipient.targets(of: arrival.event, planner: planner)
    }
    arrivals.append(arrival)
    recordSnooze(arrival.event, planner)
    if planner.catalog.mayWithdraw(arrival.event) {
      reports.note(arrival.event, order: arrival.order)
    }
    limit?.note(arrival.event, of: base().facts, planner)
    if case .request = arrival.event.content { requestCount += 1 }
    recipientAfterArrivals?.apply([arrival], now: now, planner: planner)
  }

  private mutating func recordSnooze(_ event: Event, _ planner: Planner) {
    guard let series = event.snoozedSeries(planner.catalog),
      snoozed?.insert(series).inserted == true
    else {
      (snoozed, finder) = (nil, nil)
      return
    }
  }

  /// Applies the arrivals to the facts of a recipient whose planning exceeds a `LoopBound`, without
  /// planning.
  package func foldFacts(into recipient: inout Recipient, planner: Planner) {
    recipient.fold(arrivals, planner)
  }

  /// Applies the arrivals to the recipient's facts, plans, and empties the intake.
  package mutating func fold(into recipient: inout Recipient, now: Instant, planner: Planner) {
    guard !arrivals.isEmpty else { return }
    apply(to: &recipient, now: now, planner: planner)
    self = Intake()
  }

  /// Applies the arrivals to the recipient's facts, and plans. The arrivals stay in the intake.
  package func apply(to recipient: inout Recipient, now: Instant, planner: Planner) {
    recipient.apply(arrivals, now: now, planner: planner)
  }
}

extension Event {
  /// Whether the event is a command about occurrences.
  var isCommand: Bool {
    switch content {
    case .cancellation, .resumption, .snooze: true
    default: false
    }
  }

  /// Returns the name of the delivered occurrence that the event snoozes; for a repetition, the
  /// name of the repeated occurrence. Returns nil for other events.
  ///
  /// For a repeating reminder, the key is the series' number, which stands for all dates of the
  /// series. Snoozing a later date changes which date is next.
  fileprivate func snoozedSeries(_ catalog: Catalog) -> OccurrenceName? {
    guard case .snooze(let symbol, let key?, _, isDelivered: true) = content,
      let reminder = catalog.reminder(symbol)
    else { return nil }
    return OccurrenceName(
      reminder: reminder.repeated ?? reminder.symbol, key: reminder.series(of: key) ?? key)
  }
}
