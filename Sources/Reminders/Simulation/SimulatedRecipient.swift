import CivilTime

/// One recipient of a simulation, with its events.
struct SimulatedRecipient {
  struct StampedEvent {
    var event: Event
    /// The event's number in the order of arrival.
    var order: Int64
    /// The instant at which the event is ingested: its time or, for a withdrawal, the time of the
    /// event that causes it.
    var arrival: Instant

    init(event: Event, order: Int64, arrival: Instant? = nil) {
      (self.event, self.order, self.arrival) = (event, order, arrival ?? event.time)
    }

    var stamp: Stamp { Stamp(time: event.time, order: order) }
  }

  let name: String
  /// The index of the name among the sorted names of all recipients.
  let recipientIndex: Int
  /// The recipient's events, in the order in which they are ingested.
  private var events: [StampedEvent]
  /// The index of the first event that is not ingested yet.
  private var position = 0
  private var recipient: Recipient
  /// The plan from the current facts; nil before the first event.
  private var outlook: Outlook?
  /// The instant at which an occurrence is due next; nil if none is.
  private var nextDue: Instant?
  /// Whether an event was accepted. A refused event does not make the recipient known.
  private var isKnown = false
  /// The refused events, in order.
  private(set) var refused: [RefusedEvent] = []
  /// The events for other recipients that `takeMessages` has not returned yet (rule G17).
  private var messages: [Event] = []
  /// The latest finished notifications, oldest first; an element is nil if push did not send the
  /// notification. The list stays empty for recipients without `device.seen`.
  private var history: [Delivery?] = []
  /// Whether the recipient has a `device.seen`, so that `history` is needed.
  private let remembersHistory: Bool
  /// The reason why the recipient's planning was stopped; nil if it was not.
  private(set) var unfinished: UnfinishedPlan?
  /// The number of instants processed so far.
  private(set) var instantCount = 0
  /// The number of instants after which the simulation stops; nil for no limit.
  var instantsMax: Int?
  /// The decisions since `recordDecisions`; nil if decisions are not recorded.
  private var decisions: [ReplayedDecision]?

  init(name: String, recipientIndex: Int, events: [StampedEvent]) {
    self.name = name
    self.recipientIndex = recipientIndex
    self.events = events
    remembersHistory = events.contains { $0.event.isSighting }
    let start = events.first?.arrival ?? Instant(milliseconds: 0)
    recipient = Recipient(name: name, now: start)
  }

  /// Continues the simulation of a recipient whose state is known.
  ///
  /// - Parameter events: the events that the state does not contain, in the order in which they are
  ///   ingested.
  init(continuing recipient: Recipient, events: [StampedEvent], planner: Planner) {
    self.init(name: recipient.name, recipientIndex: 0, events: events)
    self.recipient = recipient
    isKnown = true
    limitingLoops { $0.plan(by: planner) }
  }

  /// The instant of the next event or due occurrence; nil if there is none.
  var nextTime: Instant? {
    let event = position < events.count ? events[position].arrival : nil
    guard let event, let nextDue else { return event ?? nextDue }
    return min(event, nextDue)
  }

  /// The earliest planned instant of the due and held occurrences. An occurrence that is dropped
  /// later still has its timeline entry at its planned instant.
  var oldestOpen: Instant? { recipient.progress.inProgress.map(\.planned).min() }

  /// Processes all events and occurrences before `end`. Sets `unfinished` if planning exceeds its
  /// bound.
  mutating func run(
    to end: Instant, planner: Planner, entries: inout [TimelineEntry]
  ) {
    limitingLoops { $0.process(to: end, planner: planner, entries: &entries) }
  }

  /// Runs `body`, and sets `unfinished` if a loop of planning exceeds its bound.
  private mutating func limitingLoops(_ body: (inout Self) -> Void) {
    let recorder = PlanningOverrun.Recorder()
    PlanningOverrun.$recorder.withValue(recorder) { body(&self) }
    unfinished = recorder.take().map { UnfinishedPlan(recipient: name, overrun: $0) } ?? unfinished
  }

  /// Processes events and occurrences in order of time. Occurrences due at an instant are fired
  /// before events of the same instant are ingested. Between two events, the number of processed
  /// instants is limited.
  private mutating func process(
    to end: Instant, planner: Planner, entries: inout [TimelineEntry]
  ) {
    let initialBound = LoopBound("simulated instants", steps: 10 * LoopBound.steps)
    var bound = initialBound
    while let time = nextTime, time < end, !hasReachedLimit {
      instantCount += 1
      if let due = nextDue, due <= time {
        guard bound.countStep() else { return }
        fire(at: due, entries: &entries)
      } else {
        bound = initialBound
        ingestEvents(of: time, planner: planner, entries: &entries)
      }
    }
  }

  /// Ingests the events of one instant as one request (rule E6).
  private mutating func ingestEvents(
    of instant: Instant, planner: Planner, entries: inout [TimelineEntry]
  ) {
    if !isKnown { recipient = Recipient(name: name, now: instant) }
    var intake = Intake()
    while position < events.count, events[position].arrival == instant {
      ingest(events[position], with: &intake, planner: planner)
      position += 1
    }
    let mayEndRelays = !recipient.facts.relations.isEmpty && intake.endsRelays(planner)
    let former = mayEndRelays ? recipient : nil
    let deviceReturn = intake.deviceReturn(of: recipient, now: instant)
    intake.fold(into: &recipient, now: instant, planner: planner)
    let context = PlanningContext(facts: recipient.facts, planner: planner)
    if let former {
      messages += context.relayWithdrawals(
        since: PlanningContext(facts: former.facts, planner: planner), former.progress, from: name,
        now: instant)
    }
    if let (last, event) = deviceReturn {
      sendMissed(since: last, by: event, now: instant, context, to: &entries)
    }
    plan(in: context)
  }

  /// Plans the occurrences from the current facts.
  private mutating func plan(by planner: Planner) {
    plan(in: PlanningContext(facts: recipient.facts, planner: planner))
  }

  private mutating func plan(in context: PlanningContext) {
    let outlook = recipient.outlook(in: context)
    nextDue = recipient.nextDue(outlook)
    self.outlook = outlook
  }

  private mutating func ingest(
    _ next: StampedEvent, with intake: inout Intake, planner: Planner
  ) {
    let (event, now) = (next.event, next.arrival)
    let isUnknown = recipient.facts.created == nil && intake.isEmpty
    if isUnknown, planner.catalog.needsRecipient(event) { return }
    let request = finishedRequest(of: event, planner)
    do {
      try intake.check(event, reviving: request, of: recipient, now: now, planner: planner)
    } catch {
      return refused.append(RefusedEvent(event: event, refusal: error))
    }
    isKnown = true
    guard case .erasure = event.content else {
      let arrival = Arrival(event, order: next.order, request: request)
      intake.add(arrival, of: recipient, now: now, planner: planner)
      guard case .relation = event.content else { return }
      let facts = intake.recipient(recipient, now: now, planner: planner).facts
      messages += [facts.confirmation(of: event)].compactMap(\.self)
      return
    }
    let facts = intake.recipient(recipient, now: now, planner: planner).facts
    messages += facts.relationEndings(by: event)
    intake = Intake()
    recipient = Recipient(name: name, now: now)
    history = []
  }

  /// Returns the events for other recipients, and removes them.
  mutating func takeMessages() -> [Event] {
    defer { messages = [] }
    return messages
  }

  /// Inserts an event that another recipient's reminder has caused.
  mutating func insert(_ event: StampedEvent) {
    let later = events[position...].firstIndex { $0.arrival > event.arrival }
    events.insert(event, at: later ?? events.endIndex)
  }

  /// Returns the finished request that a snooze restores; nil for other events.
  private func finishedRequest(of event: Event, _ planner: Planner) -> FinishedRequest? {
    guard let order = recipient.finishedRequestOrder(of: event, planner: planner),
      let request = events[..<position].first(where: { $0.order == order })
    else { return nil }
    return FinishedRequest(request.event, order: order)
  }

  private mutating func fire(at instant: Instant, entries: inout [TimelineEntry]) {
    guard var outlook = outlook.take() else { return }
    let firings = recipient.fire(now: instant, by: &outlook)
    nextDue = recipient.nextDue(outlook)
    for firing in firings {
      append(firing, outlook.context, to: &entries)
      messages += outlook.context.relayedEvents(of: firing, from: name)
    }
    self.outlook = outlook
  }

  private mutating func append(
    _ firing: Firing, _ context: PlanningContext, to entries: inout [TimelineEntry]
  ) {
    guard case .finished(let outcome) = firing.result else { return }
    let message = outcome == .bundled ? nil : context.message(of: firing)
    append(firing, outcome, message, context, to: &entries)
  }

  /// - Parameter message: nil if the timeline does not show the firing.
  private mutating func append(
    _ firing: Firing, _ outcome: Outcome, _ message: Message?, _ context: PlanningContext,
    to entries: inout [TimelineEntry]
  ) {
    if remembersHistory { remember(firing, outcome == .delivered ? message : nil) }
    record(firing, message, context)
    guard let message else { return }
    for channel in firing.channels.channels {
      entries.append(
        TimelineEntry(
          at: firing.shownAt, recipient: name,
          recipientIndex: recipientIndex, zone: context.zone, channel: channel, outcome: outcome,
          planned: firing.planned, trace: firing.trace, isSilent: firing.isSilent,
          hints: firing.hints, message: message))
    }
  }

  // MARK: - Returns of a device

  /// Sends a digest of the push notifications that the recipient has missed (rule V17). In a
  /// simulation, push has accepted each notification, and none is known as read.
  private mutating func sendMissed(
    since last: Instant, by event: Event, now: Instant, _ context: PlanningContext,
    to entries: inout [TimelineEntry]
  ) {
    guard context.mayPush else { return }
    let past = history.reversed().compactMap(\.self).filter { $0.at > last }
      .map { PastPush(delivery: $0) }
    guard let missed = context.missed(past, since: last, by: event, now: now) else { return }
    let digest = missed.firing(at: now, hints: context.settings.hints)
    append(digest, .delivered, missed.message, context, to: &entries)
  }

  /// - Parameter message: nil if the firing was not sent.
  private mutating func remember(_ firing: Firing, _ message: Message?) {
    if history.count == PastPush.examinedMax { history.removeFirst() }
    guard let message, firing.channels.contains(ChannelSet(.push)) else {
      return history.append(nil)
    }
    var delivery = Delivery(
      instance: "", notification: 0, row: 0, recipient: name, channel: .push,
      isSilent: firing.isSilent, planned: firing.planned, at: firing.at, expiry: firing.expiry,
      message: message)
    (delivery.key, delivery.round) = (firing.key, firing.round)
    history.append(delivery)
  }

  // MARK: - Replays

  /// The recipient after the instants processed so far; nil before the first accepted event.
  var current: Recipient? { isKnown ? recipient : nil }

  /// Whether the simulation has stopped because of `instantsMax`.
  var hasReachedLimit: Bool { instantsMax.map { instantCount >= $0 } ?? false }

  /// Begins to record decisions, or forgets the decisions so far.
  mutating func recordDecisions() { decisions = [] }

  /// The recorded decisions, in order.
  var recordedDecisions: [ReplayedDecision] { decisions ?? [] }

  /// The occurrences that are due, held or planned next.
  var openOccurrences: Set<OccurrenceName> {
    let progress = recipient.progress
    var names = Set(progress.inProgress.map(OccurrenceName.init))
    guard let context = outlook?.context else { return names }
    for reminder in context.plannedReminders() {
      context.forEachNext(reminder, after: progress.cutoff, progress: progress) {
        names.insert(OccurrenceName(reminder: reminder.symbol, key: $0.key))
      }
    }
    return names
  }

  /// - Parameter message: nil for a member of a digest, which the timeline does not show.
  private mutating func record(_ firing: Firing, _ message: Message?, _ context: PlanningContext) {
    guard decisions != nil, let message = message ?? context.message(of: firing) else { return }
    decisions?.append(ReplayedDecision(firing: firing, message: message, zone: context.zone))
  }

  /// Replaces the events that are not ingested yet.
  mutating func replaceNext(_ next: [StampedEvent]) {
    events.replaceSubrange(position..., with: next)
  }

  /// Decides by another planner from an instant on, as after a reload (rules T5, T10). Occurrences
  /// that are due at the instant are decided by the previous planner.
  mutating func adopt(_ planner: Planner, after previous: Planner, at instant: Instant) {
    limitingLoops { $0.replan(from: previous, to: planner, at: instant) }
  }

  private mutating func replan(from previous: Planner, to planner: Planner, at instant: Instant) {
    guard isKnown else { return }
    var entries: [TimelineEntry] = []
    var bound = LoopBound("simulated instants", steps: 10 * LoopBound.steps)
    while bound.countStep(), let due = nextDue, due <= instant {
      fire(at: due, entries: &entries)
    }
    let ended = recipient.replan(from: previous, to: planner, now: instant)
    let contexts = [previous, planner].map { PlanningContext(facts: recipient.facts, planner: $0) }
    for firing in ended {
      let context = contexts.first { $0.catalog.reminder(firing.reminder) != nil }
      if let context { append(firing, context, to: &entries) }
    }
    plan(by: planner)
  }
}
