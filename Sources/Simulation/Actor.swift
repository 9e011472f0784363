import CivilTime
import Reminders

/// One recipient of a simulation with the events that are still to come.
struct Actor {
  struct StampedEvent {
    var event: Event
    var order: Int64

    var stamp: Stamp { Stamp(time: event.time, order: order) }
  }

  let name: String
  /// The place of the name among those of all recipients, in order.
  let place: Int
  private let events: [StampedEvent]
  private var position = 0
  private var recipient: Recipient
  /// What is planned by the facts as they are; nil before any event.
  private var outlook: Outlook?
  private var nextDue: Instant?
  /// Whether an event has made the recipient known; one that is refused does not.
  private var isKnown = false
  /// What the recipient did not take, in order.
  private(set) var refused: [RefusedEvent] = []
  /// Why its days have no answer.
  private(set) var unfinished: UnfinishedPlan?

  init(name: String, place: Int, events: [StampedEvent]) {
    self.name = name
    self.place = place
    self.events = events
    let start = events.first?.event.time ?? Instant(milliseconds: 0)
    recipient = Recipient(name: name, now: start)
  }

  /// When something happens next.
  var nextTime: Instant? {
    let event = position < events.count ? events[position].event.time : nil
    guard let event, let nextDue else { return event ?? nextDue }
    return min(event, nextDue)
  }

  /// The earliest planned instant of what is still open: dropped later, it stands there.
  var oldestOpen: Instant? { recipient.progress.underWay.map(\.planned).min() }

  /// Runs through everything before `end`, unless a plan does not end.
  mutating func run(
    to end: Instant, planner: Planner, entries: inout [TimelineEntry]
  ) {
    let recorder = PlanningOverrun.Recorder()
    PlanningOverrun.$recorder.withValue(recorder) {
      live(to: end, planner: planner, entries: &entries)
    }
    unfinished = recorder.take().map { UnfinishedPlan(recipient: name, overrun: $0) }
  }

  /// What is due at an instant is fired before an event of the same instant is taken in.
  private mutating func live(
    to end: Instant, planner: Planner, entries: inout [TimelineEntry]
  ) {
    while let time = nextTime, time < end {
      if let due = nextDue, due <= time {
        fire(at: due, entries: &entries)
      } else {
        takeEvents(of: time, planner: planner)
      }
    }
  }

  /// Takes in the events of one instant, as if one request had brought them (rule E6).
  private mutating func takeEvents(of instant: Instant, planner: Planner) {
    if !isKnown { recipient = Recipient(name: name, now: instant) }
    var intake = Intake()
    while position < events.count, events[position].event.time == instant {
      take(events[position], with: &intake, planner: planner)
      position += 1
    }
    intake.fold(into: &recipient, now: instant, planner: planner)
    let context = PlanningContext(facts: recipient.facts, planner: planner)
    let outlook = recipient.outlook(in: context)
    nextDue = recipient.nextDue(outlook)
    self.outlook = outlook
  }

  private mutating func take(
    _ next: StampedEvent, with intake: inout Intake, planner: Planner
  ) {
    let (event, now) = (next.event, next.event.time)
    let isUnknown = recipient.facts.created == nil && intake.isEmpty
    if isUnknown, planner.catalog.isWithdrawal(event) { return }
    let request = settledRequest(of: event, planner)
    do {
      try intake.check(event, reviving: request, of: recipient, now: now, planner: planner)
    } catch {
      return refused.append(RefusedEvent(event: event, refusal: error))
    }
    isKnown = true
    guard case .erasure = event.content else {
      let arrival = Arrival(event, order: next.order, request: request)
      return intake.take(arrival, of: recipient, now: now, planner: planner)
    }
    intake = Intake()
    recipient = Recipient(name: name, now: now)
  }

  /// The request that a snooze brings back, which has left the facts.
  private func settledRequest(of event: Event, _ planner: Planner) -> SettledRequest? {
    guard let order = recipient.settledRequest(of: event, planner: planner),
      let request = events[..<position].first(where: { $0.order == order })
    else { return nil }
    return SettledRequest(request.event, order: order)
  }

  private mutating func fire(at instant: Instant, entries: inout [TimelineEntry]) {
    guard var outlook = outlook.take() else { return }
    let firings = recipient.fire(now: instant, by: &outlook)
    nextDue = recipient.nextDue(outlook)
    for firing in firings { append(firing, outlook.context, to: &entries) }
    self.outlook = outlook
  }

  private func append(
    _ firing: Firing, _ context: PlanningContext, to entries: inout [TimelineEntry]
  ) {
    guard case .settled(let outcome) = firing.result, outcome != .bundled,
      let message = context.message(of: firing)
    else { return }
    for channel in firing.channels.channels {
      entries.append(
        TimelineEntry(
          at: firing.shownAt, recipient: name,
          place: place, zone: context.zone, channel: channel, outcome: outcome,
          planned: firing.planned, trace: firing.trace, isSilent: firing.isSilent,
          hints: firing.hints, message: message))
    }
  }
}
