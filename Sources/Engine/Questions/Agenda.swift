package import CivilTime
package import Reminders
package import Store

/// Selects the pending occurrences of a recipient; the answer is nil if the recipient is unknown.
package struct AgendaQuery: EngineQuery {
  /// The recipient's name.
  package var recipient: String

  package init(of recipient: String) {
    self.recipient = recipient
  }

  package func answer(from questions: Questions, now: Instant) throws(StoreError) -> Agenda? {
    let planner = questions.planner
    guard let recipient = try questions.recipient(recipient) else { return nil }
    let context = PlanningContext(facts: recipient.facts, planner: planner)
    let reminders = recipient.pendingReminders(now: now, planner: planner)
    return Agenda(of: recipient, reminders, in: context, now: now)
  }
}

/// Selects the cancelled occurrences that a recipient may resume (rule N4). Each has the instant
/// and the reasons that it would have as a pending occurrence. The answer is nil if the recipient
/// is unknown.
package struct CancelledAgendaQuery: EngineQuery {
  /// The recipient's name.
  package var recipient: String

  package init(of recipient: String) {
    self.recipient = recipient
  }

  package func answer(from questions: Questions, now: Instant) throws(StoreError) -> Agenda? {
    let planner = questions.planner
    guard let recipient = try questions.recipient(recipient) else { return nil }
    let context = PlanningContext(facts: recipient.facts, planner: planner)
    let reminders = recipient.cancelledOccurrences(now: now, planner: planner)
    let seriesIdentifiers = Set(
      reminders.pending.filter { context.hasStop($0.reminder, key: $0.key) }
        .compactMap { Agenda.entry($0, in: context)?.identifier })
    var agenda = Agenda(of: recipient, reminders, in: context, now: now)
    for index in agenda.entries.indices {
      agenda.entries[index].cancellation =
        seriesIdentifiers.contains(agenda.entries[index].identifier) ? .series : .occurrence
    }
    return agenda
  }
}

/// The pending or the cancelled occurrences of one recipient, in a form ready to show.
package struct Agenda: Sendable {
  package struct Entry: Sendable {
    /// The id of the occurrence, which is the same in all channel groups.
    package var identifier = ""
    package var reminder: String
    package var category: String
    package var channels: [Channel]
    package var title: String
    package var body: String
    /// The entities that share the date of a calendar reminder's occurrence (rule G9).
    package var entities: [String] = []
    /// The instant for which the occurrence is planned.
    package var planned: Instant
    /// The instant at which, under present conditions, the gates send or drop the occurrence.
    package var at: Instant
    package var outcome: Outcome
    /// The gates that hold or drop the occurrence.
    package var reasons: [String]
    /// The reservation for which this entry's occurrence waits: a later occurrence has capacity of
    /// a cap reserved (rule V12). Nil if it waits for none.
    package var waitsFor: CapacityReservation?
    /// The members of a digest, the most urgent first; empty for anything else.
    package var members: [Entry] = []
    /// How the recipient has cancelled the occurrence; nil for a pending one.
    package var cancellation: Cancellation?
  }

  package enum Cancellation: Sendable {
    /// Only this occurrence is cancelled, or the whole series that it belongs to.
    case occurrence, series
  }

  package var recipient: String
  package var zone: Zone
  /// Whether the zone is the service's default because the recipient has none (rule T4).
  package var isDefaultZone: Bool
  package var now: Instant
  /// The entries in the order in which they will be sent.
  package var entries: [Entry]
}

extension Agenda {
  fileprivate init(
    of recipient: Recipient, _ reminders: PendingReminders, in context: PlanningContext,
    now: Instant
  ) {
    self.init(
      recipient: recipient.name, zone: context.zone, isDefaultZone: context.isZoneDefault,
      now: now, entries: Self.entries(reminders, in: context))
  }

  /// Returns the entries. A digest is one entry, at the position of its instant (rule V14).
  private static func entries(
    _ reminders: PendingReminders, in context: PlanningContext
  ) -> [Entry] {
    var entries = reminders.pending.compactMap { pending in
      pending.decision.outcome == .bundled ? nil : entry(pending, in: context)
    }
    for digest in reminders.digests {
      guard let entry = entry(digest, in: context) else { continue }
      let index = entries.firstIndex { $0.at > entry.at } ?? entries.endIndex
      entries.insert(entry, at: index)
    }
    return entries
  }

  private static func entry(
    _ digest: PendingReminders.Digest, in context: PlanningContext
  ) -> Entry? {
    let firing = digest.firing
    guard let message = context.message(of: firing) else { return nil }
    return Entry(
      identifier: "\(message.reminder)~\(firing.key)", reminder: message.reminder,
      category: message.category, channels: firing.channels.channels, title: message.title,
      body: message.body, planned: firing.planned, at: firing.at, outcome: .delivered,
      reasons: firing.trace.reasons,
      members: digest.members.compactMap { entry($0, in: context) })
  }

  fileprivate static func entry(_ pending: Pending, in context: PlanningContext) -> Entry? {
    guard let message = context.message(of: pending) else { return nil }
    let name = context.catalog.reminder(pending.reminder).map(context.catalog.name)
    return Entry(
      identifier: "\(name ?? message.reminder)~\(pending.key)", reminder: message.reminder,
      category: message.category,
      channels: pending.channels.channels, title: message.title, body: message.body,
      entities: pending.sharedDate.entities, planned: pending.planned, at: pending.decision.at,
      outcome: pending.decision.outcome,
      reasons: pending.decision.trace.reasons,
      waitsFor: pending.waitsFor.flatMap(context.capacityReservation))
  }
}
