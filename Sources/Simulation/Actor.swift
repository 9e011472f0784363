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
  private let events: [StampedEvent]
  private var position = 0
  private var recipient: Recipient
  private var context: PlanningContext?
  private var nextDue: Instant?
  /// Whether an event has made the recipient known; one that is refused does not.
  private var isKnown = false
  /// What the recipient did not take, in order.
  private(set) var refused: [RefusedEvent] = []

  init(name: String, events: [StampedEvent]) {
    self.name = name
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

  /// Runs through everything before `end`: what is due at an instant is fired before an event of
  /// the same instant is taken in.
  mutating func run(
    to end: Instant, planner: Planner, entries: inout [TimelineEntry]
  ) {
    while let time = nextTime, time < end {
      if let due = nextDue, due <= time {
        fire(at: due, planner: planner, entries: &entries)
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
    self.context = context
    nextDue = recipient.schedule(in: context).due
  }

  private mutating func take(
    _ next: StampedEvent, with intake: inout Intake, planner: Planner
  ) {
    let (event, now) = (next.event, next.event.time)
    do {
      try intake.check(event, of: recipient, now: now, planner: planner)
    } catch {
      return refused.append(RefusedEvent(event: event, refusal: error))
    }
    isKnown = true
    guard case .erasure = event.content else {
      let arrival = Arrival(event, order: next.order)
      return intake.take(arrival, of: recipient, now: now, planner: planner)
    }
    intake = Intake()
    recipient = Recipient(name: name, now: now)
  }

  private mutating func fire(
    at instant: Instant, planner: Planner, entries: inout [TimelineEntry]
  ) {
    let context = self.context.take() ?? PlanningContext(facts: recipient.facts, planner: planner)
    let requests = recipient.facts.requests.count
    let (firings, schedule) = recipient.fire(now: instant, in: context)
    nextDue = schedule.due
    for firing in firings { append(firing, context, to: &entries) }
    if recipient.facts.requests.count == requests { self.context = context }
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
          at: outcome == .dropped ? firing.planned : firing.at, recipient: name,
          zone: context.zone, channel: channel, outcome: outcome, planned: firing.planned,
          trace: firing.trace,
          isSilent: firing.isSilent, hints: firing.hints, message: message))
    }
  }
}
