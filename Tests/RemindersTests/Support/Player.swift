import CivilTime
import JSON
import Reminders
import Testing

/// Drives one recipient as the service does, on a virtual clock.
struct Player {
  /// What a fired occurrence came to.
  struct Entry: Hashable {
    var at: Instant
    var reminder: String
    var key: Int64
    var channels: ChannelSet
    var outcome: Outcome
    var isSilent: Bool
    var planned: Instant
    var reasons: [String]
    var title: String
    var body: String
    var details: String
    /// The occurrence whose batch it goes on with.
    var opener: Int64?
    var replaced: [Symbol]
  }

  private(set) var recipient: Recipient
  private(set) var planner: Planner
  private(set) var now: Instant
  private(set) var entries: [Entry] = []
  private var order: Int64 = 0
  /// What had been delivered when the clock was set right: the store refuses to do it again.
  private var known: Set<String> = []

  init(planner: Planner, now: Instant, name: String = "amina") {
    self.planner = planner
    self.now = now
    recipient = Recipient(name: name, now: now)
  }

  /// When something has to be done next.
  var nextDue: Instant? { schedule.due }

  private var schedule: Schedule {
    recipient.schedule(in: PlanningContext(facts: recipient.facts, planner: planner))
  }

  /// Lets the clock run, and fires what is due when it is due. What an outlook from its start fires
  /// must be that.
  mutating func advance(to instant: Instant) {
    guard let first = nextDue, first <= instant else {
      now = max(now, instant)
      return
    }
    var twin = self
    let context = PlanningContext(facts: recipient.facts, planner: planner)
    var outlook = recipient.outlook(in: context)
    while let due = nextDue, due <= instant {
      #expect(twin.recipient.nextDue(outlook) == due)
      jump(to: max(due, now))
      twin.add(twin.recipient.fire(now: now, by: &outlook), context)
      #expect(twin.entries == entries)
      #expect(twin.recipient == recipient)
    }
    #expect(twin.recipient.nextDue(outlook) == nextDue)
    now = max(now, instant)
  }

  /// Sets the clock, forward or back, and fires what is due by then.
  mutating func jump(to instant: Instant) {
    now = instant
    let context = PlanningContext(facts: recipient.facts, planner: planner)
    let (firings, schedule) = recipient.fire(now: instant, in: context)
    #expect(schedule == self.schedule, "what firing says of the schedule must be the schedule")
    add(firings, context)
  }

  private mutating func add(_ firings: [Firing], _ context: PlanningContext) {
    let settled = firings.compactMap { entry($0, context) }.filter {
      !known.contains($0.occurrence)
    }
    entries += settled.sorted { ($0.reminder, $0.planned) < ($1.reminder, $1.planned) }
  }

  /// Sets a clock right that ran ahead.
  mutating func rewind(to instant: Instant) {
    now = instant
    known = Set(entries.filter { $0.outcome != .dropped }.map(\.occurrence))
    recipient.rewind(to: instant, planner: planner)
  }

  /// Takes an event in that happens now, or happened earlier.
  mutating func take(
    _ type: String, _ data: JSONValue = [:], at time: Instant? = nil, id: String? = nil
  ) throws {
    order += 1
    let json: JSONValue = [
      "specversion": "1.0", "id": .string(id ?? "\(order)"), "source": "test",
      "type": .string(type),
      "subject": .string(recipient.name), "time": .string((time ?? now).description),
      "data": data,
    ]
    try take(EventReader(planner: planner).event(json, now: now))
  }

  private mutating func take(_ event: Event) throws {
    try recipient.check(event, planner: planner)
    recipient.apply(event, order: order, now: now, planner: planner)
  }

  /// The person reads of a batch.
  mutating func read(batchOf reminder: String, opener: Int64) {
    recipient.closeBatch(of: Symbol(reminder), opener: opener)
  }

  /// Writes the recipient as the store does, and reads it back.
  mutating func restart() throws {
    let facts = try recipient.facts.encoded.withUnsafeBytes { try Facts(decoding: $0) }
    let progress = try recipient.progress.encoded.withUnsafeBytes { try Progress(decoding: $0) }
    let rows = recipient.facts.requests.rows
    recipient = Recipient(name: recipient.name, facts: facts, progress: progress)
    try recipient.add(
      rows.map { try RequestPart(key: $0.key, decoding: $0.bytes, row: .same) })
  }

  mutating func change(to planner: Planner) {
    let firings = recipient.replan(from: self.planner, to: planner, now: now)
    add(firings, PlanningContext(facts: recipient.facts, planner: self.planner))
    self.planner = planner
  }

  private func entry(_ firing: Firing, _ context: PlanningContext) -> Entry? {
    guard case .settled(let outcome) = firing.result,
      let message = context.message(of: firing)
    else { return nil }
    return Entry(
      at: firing.at, reminder: message.reminder, key: firing.key, channels: firing.channels,
      outcome: outcome, isSilent: firing.isSilent, planned: firing.planned,
      reasons: firing.trace.reasons, title: message.title, body: message.body,
      details: message.details, opener: firing.opener, replaced: firing.replaced)
  }
}
