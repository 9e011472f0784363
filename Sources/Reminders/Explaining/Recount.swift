import CivilTime

/// A recipient's life once more, up to the decision about one notification: the events as they came
/// in, and between them whatever was due, by the functions that fire.
struct Recount {
  private let past: PastNotification
  private let planner: Planner
  private(set) var recipient: Recipient
  private var context: PlanningContext
  private var clock: Instant
  private var due: Instant?
  private var asked: [OccurrencePlace: Asked] = [:]
  /// What came of the notification, once it has had its turn.
  private(set) var firing: Firing?

  init(of past: PastNotification, to name: String, from start: Instant, planner: Planner) {
    self.past = past
    self.planner = planner
    recipient = Recipient(name: name, now: start)
    context = PlanningContext(facts: recipient.facts, planner: planner)
    clock = start
  }

  /// What the gates said to it; nil unless this life came to what was recorded.
  var confirmed: (rounds: [Explanation.Round], trace: GateTrace)? {
    guard let firing, past.agrees(with: firing) else { return nil }
    let place = firing.members.first.map(OccurrencePlace.init) ?? OccurrencePlace(firing)
    return (asked[place]?.rounds ?? [], firing.trace)
  }

  /// - Parameter arrivals: those up to the decision, in the order in which they came in.
  mutating func run(_ arrivals: [(event: Event, kept: KeptEvent)]) {
    var rest = arrivals[...]
    while firing == nil, let received = rest.first?.kept.received {
      let request = rest.prefix { $0.kept.received == received }
      rest = rest.dropFirst(request.count)
      fireDue(through: received)
      let events = request.map { item in
        let order = recipient.settledRequest(of: item.event, planner: planner)
        let settled = order.flatMap { order in arrivals.first { $0.kept.order == order } }
        return Arrival(
          item.event, order: item.kept.order,
          request: settled.map { SettledRequest($0.event, order: $0.kept.order) })
      }
      recipient.apply(events, now: received, planner: planner)
      clock = max(clock, received)
      context = PlanningContext(facts: recipient.facts, planner: planner)
      due = recipient.schedule(in: context).due
    }
    fireDue(through: past.at)
  }

  private mutating func fireDue(through end: Instant) {
    while firing == nil, let next = due.map({ max($0, clock) }), next <= end {
      let before = self
      fire(at: next)
      // The service came to it later, and asked the gates only then.
      guard firing != nil, next < past.at else { continue }
      self = before
      fire(at: past.at)
    }
  }

  private mutating func fire(at instant: Instant) {
    clock = instant
    let requests = recipient.facts.requests.count
    var answers: [(OccurrencePlace, [Explanation.Round])] = []
    let past = past
    let fired = recipient.fire(now: instant, in: context) { input, firing in
      guard past.concerns(firing) else { return }
      answers.append(
        (OccurrencePlace(firing), [Explanation.Round].asking(input, from: instant).rounds))
    }
    for (place, rounds) in answers { asked[place, default: Asked()].add(rounds) }
    due = fired.schedule.due
    if recipient.facts.requests.count != requests {
      context = PlanningContext(facts: recipient.facts, planner: planner)
    }
    firing = fired.firings.first { past.isThis($0) && $0.isSettled }
    guard firing == nil else { return }
    for firing in fired.firings where firing.isSettled { asked[OccurrencePlace(firing)] = nil }
  }
}

/// What the gates said to one occurrence. What was foreseen of later instants gives way each time
/// they are asked; what they did say stays, also of an instant at which they are asked again.
private struct Asked {
  private(set) var rounds: [Explanation.Round] = []
  private var said = 0

  /// - Parameter answer: what they say now, and what is foreseen.
  mutating func add(_ answer: [Explanation.Round]) {
    rounds.removeSubrange(said...)
    guard let now = answer.first else { return }
    if rounds.last == now { rounds.removeLast() }
    rounds.append(now)
    said = rounds.count
    rounds += answer.dropFirst()
  }
}

extension Firing {
  fileprivate var isSettled: Bool {
    if case .settled = result { true } else { false }
  }
}

extension Recipient {
  /// Explains what became of a notification (rule V8).
  ///
  /// What the gates looked at is had by living through the recipient's events again. That says
  /// something only if planning goes by the same catalogs, zones and settings of the service as
  /// then, and it is told only if it comes to the very verdicts that were recorded.
  ///
  /// - Parameters:
  ///   - events: those received up to the decision, in the order in which they came in; nil where
  ///     they cannot be told or planning goes by something else since.
  /// - Complexity: that of firing everything that fired until then.
  package func explain(
    _ past: PastNotification, events: [KeptEvent]?, planner: Planner
  ) -> PastExplanation {
    let recorded = PastExplanation(notification: past, zone: planner.zone(of: facts))
    guard let events, let arrivals = try? EventReader(planner: planner).arrivals(events, of: name),
      let first = arrivals.first
    else { return recorded }
    var recount = Recount(of: past, to: name, from: first.kept.received, planner: planner)
    recount.run(arrivals)
    guard let decided = recount.confirmed else { return recorded }
    let zone = planner.zone(of: recount.recipient.facts)
    return PastExplanation(notification: past, zone: zone, decided: decided)
  }
}
