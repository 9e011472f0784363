import CivilTime
import JSON
import Reminders
import Testing

/// Processes one recipient as the service does, on a virtual clock.
struct Player {
  /// The outcome of a fired occurrence.
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
    /// The key of the occurrence that opened the batch.
    var opener: Int64?
    /// The reminders whose notifications about the same entity are replaced by this one.
    var replaced: [Symbol]
  }

  private(set) var recipient: Recipient
  private(set) var planner: Planner
  private(set) var now: Instant
  private(set) var entries: [Entry] = []
  private var order: Int64 = 0
  /// The occurrences that were delivered before the clock was corrected; the store refuses to
  /// deliver them again.
  private var deliveredBeforeRewind: Set<String> = []

  init(planner: Planner, now: Instant, name: String = "amina") {
    self.planner = planner
    self.now = now
    recipient = Recipient(name: name, now: now)
  }

  /// The next instant at which something is due.
  var nextDue: Instant? { schedule.due }

  private var schedule: Schedule {
    recipient.schedule(in: PlanningContext(facts: recipient.facts, planner: planner))
  }

  /// Advances the clock and fires occurrences at their instants. Firing by an outlook that was made
  /// at the start must have the same outcomes.
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

  /// Sets the clock forward or back, and fires everything due by then.
  mutating func jump(to instant: Instant) {
    now = instant
    let context = PlanningContext(facts: recipient.facts, planner: planner)
    let recorder = PlanningOverrun.Recorder()
    let (firings, schedule) = PlanningOverrun.$recorder.withValue(recorder) {
      recipient.fire(now: instant, in: context)
    }
    #expect(recorder.take() == nil, "planning must end")
    #expect(schedule == self.schedule, "firing must return the current schedule")
    add(firings, context)
  }

  private mutating func add(_ firings: [Firing], _ context: PlanningContext) {
    let finished = firings.compactMap { entry($0, context) }.filter {
      !deliveredBeforeRewind.contains($0.occurrence)
    }
    entries += finished.sorted { ($0.reminder, $0.planned) < ($1.reminder, $1.planned) }
  }

  /// Corrects a clock that ran ahead.
  mutating func rewind(to instant: Instant) {
    now = instant
    deliveredBeforeRewind = Set(entries.filter { $0.outcome != .dropped }.map(\.occurrence))
    recipient.rewind(to: instant, planner: planner)
  }

  /// Ingests an event of the current or an earlier instant.
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

  /// Lets the recipient read the item of a batch.
  mutating func read(batchOf reminder: String, opener: Int64) {
    recipient.closeBatch(of: Symbol(reminder), opener: opener)
  }

  /// Writes and reads the recipient as the store does.
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
    guard case .finished(let outcome) = firing.result,
      let message = context.message(of: firing)
    else { return nil }
    return Entry(
      at: firing.at, reminder: message.reminder, key: firing.key, channels: firing.channels,
      outcome: outcome, isSilent: firing.isSilent, planned: firing.planned,
      reasons: firing.trace.reasons, title: message.title, body: message.body,
      details: message.details, opener: firing.opener, replaced: firing.replaced)
  }
}
