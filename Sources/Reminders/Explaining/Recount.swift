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
  /// The occurrence that is decided without some of its gates.
  private let exemption: GateExemption?
  /// The instant up to which the life goes.
  private let end: Instant
  /// What came of the notification, once it has had its turn.
  private(set) var firing: Firing?

  /// - Parameters:
  ///   - end: the instant up to which the life goes; that of the decision if nil.
  ///   - exemption: the occurrence that is decided without some of its gates.
  init(
    of past: PastNotification, to name: String, from start: Instant, through end: Instant? = nil,
    exempting exemption: GateExemption? = nil, planner: Planner
  ) {
    self.past = past
    self.planner = planner
    self.exemption = exemption
    self.end = end ?? past.at
    recipient = Recipient(name: name, now: start)
    context = PlanningContext(facts: recipient.facts, planner: planner, exempting: exemption)
    clock = start
  }

  /// What the gates said to it; nil unless this life came to what was recorded.
  var confirmed: (rounds: [Explanation.Round], trace: GateTrace)? {
    guard let firing, let place, past.agrees(with: firing) else { return nil }
    return (asked[place]?.rounds ?? [], firing.trace)
  }

  /// The way out that has been decided: of a digest, its first member's.
  var place: OccurrencePlace? {
    firing.map { $0.members.first.map(OccurrencePlace.init) ?? OccurrencePlace($0) }
  }

  /// The first instant at which the gates were asked about it.
  var firstRound: Explanation.Round? {
    guard let asked = place.flatMap({ asked[$0] }) else { return nil }
    return asked.input?.firstRound(asked.rounds)
  }

  /// The objections of the gates at the end of a life with an exemption, and whether it goes then.
  var attempt: Counterfactual.Attempt {
    let rounds = exemption.flatMap { asked[$0.place] }?.rounds ?? []
    let goes = firing.map { $0.isSaid && $0.at == end } ?? false
    return Counterfactual.Attempt(
      goes: goes, objections: rounds.first { $0.at == end }?.objections ?? [])
  }

  /// - Parameter arrivals: those up to the decision, in the order in which they came in.
  mutating func run(_ arrivals: [(event: Event, kept: KeptEvent)]) {
    var rest = arrivals[...]
    while firing == nil, let received = rest.first?.kept.received, received <= end {
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
      context = PlanningContext(
        facts: recipient.facts, planner: planner, exempting: exemption)
      due = recipient.schedule(in: context).due
    }
    fireDue(through: end)
  }

  private mutating func fireDue(through end: Instant) {
    while firing == nil, let next = due.map({ max($0, clock) }), next <= end {
      let before = self
      fire(at: next)
      // The service came to it later, and asked the gates only then.
      guard firing != nil, next < end else { continue }
      self = before
      fire(at: end)
    }
  }

  private mutating func fire(at instant: Instant) {
    clock = instant
    let requests = recipient.facts.requests.count
    var answers: [(place: OccurrencePlace, input: GateInput)] = []
    let (past, exemption) = (past, exemption)
    let fired = recipient.fire(now: instant, in: context) { input, firing in
      let place = OccurrencePlace(firing)
      guard past.concerns(firing) || exemption?.place == place else { return }
      answers.append((place, input))
    }
    for answer in answers { asked[answer.place, default: Asked()].add(answer.input, at: instant) }
    due = fired.schedule.due
    if recipient.facts.requests.count != requests {
      context = PlanningContext(
        facts: recipient.facts, planner: planner, exempting: exemption)
    }
    firing = fired.firings.first { isWanted($0) && $0.isSettled }
    guard firing == nil else { return }
    for firing in fired.firings where firing.isSettled { asked[OccurrencePlace(firing)] = nil }
  }

  private func isWanted(_ firing: Firing) -> Bool {
    exemption.map { OccurrencePlace(firing) == $0.place } ?? past.isThis(firing)
  }
}

/// What the gates said to one occurrence. What was foreseen of later instants gives way each time
/// they are asked; what they did say stays, also of an instant at which they are asked again.
private struct Asked {
  private(set) var rounds: [Explanation.Round] = []
  /// What they looked at the first time.
  private(set) var input: GateInput?
  private var said = 0

  /// Adds what the gates say at an instant, and what is foreseen.
  mutating func add(_ input: GateInput, at instant: Instant) {
    if self.input == nil { self.input = input }
    let answer = [Explanation.Round].asking(input, from: instant).rounds
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
    var explanation = PastExplanation(notification: past, zone: zone, decided: decided)
    guard let place = recount.place, let round = recount.firstRound else { return explanation }
    explanation.counterfactual = Counterfactual(round) { gates in
      var again = Recount(
        of: past, to: name, from: first.kept.received, through: round.at,
        exempting: GateExemption(place, gates), planner: planner)
      again.run(arrivals)
      return again.attempt
    }
    return explanation
  }
}
