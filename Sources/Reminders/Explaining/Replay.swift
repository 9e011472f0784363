import CivilTime

/// A simulation of a recipient's past up to the decision about one notification. Like the engine,
/// it applies the events in the order of arrival, and fires the due occurrences between them.
struct Replay {
  /// The recorded notification that is explained.
  private let past: PastNotification
  private let planner: Planner
  private(set) var recipient: Recipient
  private var context: PlanningContext
  /// The simulated time.
  private var clock: Instant
  /// The instant at which an occurrence is due next; nil if none is.
  private var due: Instant?
  /// The evaluations of the gates so far, for the occurrences that the explanation may need.
  private var history: [OccurrenceInGroup: History] = [:]
  /// The occurrence that is decided without some of its gates.
  private let exemption: GateRemoval?
  /// The instant at which the simulation ends.
  private let end: Instant
  /// The result of firing the explained occurrence; nil until the simulation has decided about it.
  private(set) var firing: Firing?

  /// - Parameters:
  ///   - end: the instant at which the simulation ends; if nil, the instant of the decision.
  ///   - exemption: the occurrence that is decided without some of its gates.
  init(
    of past: PastNotification, to name: String, from start: Instant, through end: Instant? = nil,
    exempting exemption: GateRemoval? = nil, planner: Planner
  ) {
    self.past = past
    self.planner = planner
    self.exemption = exemption
    self.end = end ?? past.at
    recipient = Recipient(name: name, now: start)
    context = PlanningContext(facts: recipient.facts, planner: planner, exempting: exemption)
    clock = start
  }

  /// The evaluations of the gates; nil unless the simulation yields the recorded decision.
  var confirmedDecision: (rounds: [Explanation.Evaluation], trace: GateTrace)? {
    guard let firing, let occurrence, past.agrees(with: firing) else { return nil }
    return (history[occurrence]?.rounds ?? [], firing.trace)
  }

  /// The identity of the decided occurrence; for a digest, the identity of its first member.
  var occurrence: OccurrenceInGroup? {
    firing.map { $0.members.first.map(OccurrenceInGroup.init) ?? OccurrenceInGroup($0) }
  }

  /// The entities that shared the date of the decided occurrence.
  var sharedDate: SharedDate {
    context.catalog.reminder(past.reminder).map { context.sharedDate(of: $0, key: past.key) }
      ?? SharedDate()
  }

  /// The first evaluation of the decided occurrence's gates.
  var firstEvaluation: Explanation.Evaluation? {
    guard let history = occurrence.flatMap({ history[$0] }) else { return nil }
    return history.input?.firstEvaluation(history.rounds)
  }

  /// Whether the occurrence with the exemption is sent at `end`, and the gates that hold or drop it
  /// at that instant.
  var trial: Counterfactual.Trial {
    let rounds = exemption.flatMap { history[$0.occurrence] }?.rounds ?? []
    let isSent = firing.map { $0.isSent && $0.at == end } ?? false
    return Counterfactual.Trial(
      isSent: isSent, objections: rounds.first { $0.at == end }?.objections ?? [])
  }

  /// Applies events and fires due occurrences between them, until the notification is decided.
  ///
  /// - Parameter arrivals: the events up to the decision, in the order of arrival.
  mutating func run(_ arrivals: [(event: Event, stored: StoredEvent)]) {
    var remaining = arrivals[...]
    while firing == nil, let received = remaining.first?.stored.received {
      let request = remaining.prefix { $0.stored.received == received }
      guard Self.effectInstant(of: request) <= end else { break }
      remaining = remaining.dropFirst(request.count)
      let instant = min(received, end)
      fireDue(through: instant)
      let events = request.map { item in
        let order = recipient.finishedRequestOrder(of: item.event, planner: planner)
        let finished = order.flatMap { order in arrivals.first { $0.stored.order == order } }
        return Arrival(
          item.event, order: item.stored.order,
          request: finished.map { FinishedRequest($0.event, order: $0.stored.order) })
      }
      recipient.apply(events, now: received, planner: planner)
      clock = max(clock, instant)
      context = PlanningContext(
        facts: recipient.facts, planner: planner, exempting: exemption)
      due = recipient.schedule(in: context).due
    }
    fireDue(through: end)
  }

  /// Returns when the events of one request took effect (rule T8).
  private static func effectInstant(
    of request: ArraySlice<(event: Event, stored: StoredEvent)>
  ) -> Instant {
    let arrivals = request.map { Arrival($0.event, order: $0.stored.order) }
    let received = request[request.startIndex].stored.received
    return Recipient.effectInstant(of: arrivals, handledAt: received)
  }

  private mutating func fireDue(through end: Instant) {
    var bound = LoopBound("replayed instants", steps: 10 * LoopBound.steps)
    while firing == nil, bound.countStep(), let next = due.map({ max($0, clock) }), next <= end {
      let saved = self
      fire(at: next)
      // The decision was due at `next`, but the service was late and made it only at `end`.
      guard firing != nil, next < end else { continue }
      self = saved
      fire(at: end)
    }
  }

  private mutating func fire(at instant: Instant) {
    clock = instant
    let requests = recipient.facts.requests.count
    var evaluations: [(occurrence: OccurrenceInGroup, input: GateInput)] = []
    let (past, exemption) = (past, exemption)
    let fired = recipient.fire(now: instant, in: context) { input, firing in
      let occurrence = OccurrenceInGroup(firing)
      guard past.concerns(firing) || exemption?.occurrence == occurrence else { return }
      evaluations.append((occurrence, input))
    }
    for evaluation in evaluations {
      history[evaluation.occurrence, default: History()].add(evaluation.input, at: instant)
    }
    due = fired.schedule.due
    if recipient.facts.requests.count != requests {
      context = PlanningContext(
        facts: recipient.facts, planner: planner, exempting: exemption)
    }
    firing = fired.firings.first { isOfDecidedOccurrence($0) && $0.isFinished }
    guard firing == nil else { return }
    for firing in fired.firings where firing.isFinished { history[OccurrenceInGroup(firing)] = nil }
  }

  private func isOfDecidedOccurrence(_ firing: Firing) -> Bool {
    exemption.map { OccurrenceInGroup(firing) == $0.occurrence } ?? past.isResult(of: firing)
  }
}

/// The evaluations of the gates for one occurrence: those made so far, and the later evaluations
/// that the last one predicts. A new evaluation replaces the predicted ones. Earlier evaluations
/// stay, even one at the same instant with other findings.
private struct History {
  private(set) var rounds: [Explanation.Evaluation] = []
  /// The input of the first evaluation.
  private(set) var input: GateInput?
  private var evaluatedCount = 0

  /// Adds the evaluation at an instant, and the later evaluations that it predicts.
  mutating func add(_ input: GateInput, at instant: Instant) {
    if self.input == nil { self.input = input }
    let predicted = [Explanation.Evaluation].evaluating(input, from: instant).rounds
    rounds.removeSubrange(evaluatedCount...)
    guard let now = predicted.first else { return }
    if rounds.last == now { rounds.removeLast() }
    rounds.append(now)
    evaluatedCount = rounds.count
    rounds += predicted.dropFirst()
  }
}

extension Firing {
  fileprivate var isFinished: Bool {
    if case .finished = result { true } else { false }
  }
}

extension Recipient {
  /// Explains a recorded notification (rule V8).
  ///
  /// The inputs of the gates come from a simulation of the recipient's events. The simulation is
  /// valid only if planning still uses the same catalogs, zones and service settings. Its inputs
  /// are returned only if it yields exactly the recorded verdicts.
  ///
  /// - Parameter events: the events received up to a minute after the decision, in the order of
  ///   arrival; nil if the events are unknown or if planning has changed since. Events received
  ///   after the decision are used only if the decision does not follow from the earlier events.
  /// - Complexity: the cost of firing all occurrences until the decision.
  package func explain(
    _ past: PastNotification, events: [StoredEvent]?, planner: Planner
  ) -> PastExplanation {
    let recorded = PastExplanation(notification: past, zone: planner.zone(of: facts))
    guard let events, let all = try? EventReader(planner: planner).arrivals(events, of: name)
    else { return recorded }
    let beforeDecision = all.filter { $0.stored.received <= past.at }
    return explain(past, by: beforeDecision, planner) ?? explain(past, by: all, planner) ?? recorded
  }

  /// Returns nil if the decision does not follow from the events.
  private func explain(
    _ past: PastNotification, by arrivals: [(event: Event, stored: StoredEvent)], _ planner: Planner
  ) -> PastExplanation? {
    guard let first = arrivals.first else { return nil }
    let start = min(first.stored.received, past.at)
    var replay = Replay(of: past, to: name, from: start, planner: planner)
    replay.run(arrivals)
    guard let decided = replay.confirmedDecision else { return nil }
    let zone = planner.zone(of: replay.recipient.facts)
    var explanation = PastExplanation(notification: past, zone: zone, evaluation: decided)
    explanation.sharedDate = replay.sharedDate
    guard let occurrence = replay.occurrence, let evaluation = replay.firstEvaluation else {
      return explanation
    }
    explanation.counterfactual = Counterfactual(evaluation) { gates in
      var trial = Replay(
        of: past, to: name, from: start, through: evaluation.at,
        exempting: GateRemoval(occurrence, gates), planner: planner)
      trial.run(arrivals)
      return trial.trial
    }
    return explanation
  }
}
