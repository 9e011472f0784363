import CivilTime
import JSON
import Outbox
import Reminders
import Store
import Testing

@testable import Engine

/// Rule L6: the record of the past days is what their replay yields.
@Suite struct AuditQueryTests {
  private static let catalog = """
    catalog: notes
    categories:
      NOTE: {title: Notes, urgency: normal, channels: {push: true}}
    groups:
      notes: {enabled: true, time: "12:00"}
    reminders:
      note:
        category: NOTE
        group: notes
        every: {day: {at: $time}}
        expires: 2h
        messages: [{title: Note, body: A note.}]
    """

  /// Returns a stage with three recipients, at 13:00 of the first day.
  private func stage(through end: String = "2026-03-02 13:00") throws -> Stage {
    let stage = try Stage(catalog: Self.catalog, at: "2026-03-02 09:00")
    for name in ["amina", "bilal", "chadi"] {
      try stage.take("recipient.updated", ["locale": "en"], of: name)
    }
    try stage.run(to: end)
    return stage
  }

  private func report(_ audit: ServiceAudit) -> [String] {
    audit.findings.map { finding in
      let difference = finding.difference
      return "\(finding.recipient) \(difference.reminder) of \(difference.planned): "
        + "\(text(difference.replayed)), recorded \(text(difference.recorded))"
    }
  }

  private func text(_ side: RecordAudit.Side?) -> String {
    side.map { "\($0.outcome) \($0.reasons) at \($0.at)" } ?? "none"
  }

  /// Changes the recorded outcome of a notification, as no attempt has.
  private func drop(_ number: Int64, on stage: Stage) throws {
    var trace = GateTrace()
    trace.note(.quietHours, .drops)
    var changes = DeliveryChanges()
    changes.settle(number, outcome: .dropped, trace: trace)
    try stage.core().store.commit { try $0.save(changes) }
  }

  @Test func `L6: a record that the replay yields has no differences`() throws {
    let audit = try stage(through: "2026-03-05 13:00").audit(since: "2026-03-02 10:00")
    #expect((audit.people, audit.auditedCount, audit.occurrenceCount) == (3, 3, 12))
    #expect((audit.differenceCount, audit.followingCount, audit.shortenedCount) == (0, 0, 0))
    #expect(audit.excused.isEmpty && audit.findings.isEmpty && audit.leftOutCount == 0)
  }

  @Test func `L6: a changed record is a difference, with both decisions`() throws {
    let stage = try stage(through: "2026-03-04 13:00")
    let first = try #require(try stage.stored("bilal"))
    let numbers = try stage.core().questions.readers.read {
      try $0.chain(of: first.row, from: nil, downTo: 0, limit: 10).numbers
    }
    #expect(numbers.count == 3)
    for number in numbers.suffix(2) { try drop(number, on: stage) }
    let audit = try stage.audit(since: "2026-03-02 10:00")
    #expect(
      report(audit) == [
        "bilal note of 2026-03-02T12:00:00.000Z: delivered [] at 2026-03-02T12:00:00.000Z, "
          + "recorded dropped [\"\(Gate.quietHours.reason)\"] at 2026-03-02T12:00:00.000Z"
      ])
    #expect((audit.differenceCount, audit.followingCount) == (1, 1))
    #expect(audit.excused.isEmpty && audit.occurrenceCount == 9)
    let one = try stage.audit(since: "2026-03-02 10:00", .recipient("amina"))
    #expect((one.people, one.differenceCount, one.occurrenceCount) == (1, 0, 3))
  }

  /// The rows of three decisions are changed as a faulty planner would have written them.
  @Test func `L6: a missing, an added and a moved decision are differences`() throws {
    let stage = try stage(through: "2026-03-04 13:00")
    func audit(_ change: (inout [DecisionRecord.Decision]) -> Void) throws -> RecordAudit {
      let (replay, stored) = try stage.replayAndRecord(of: "amina")
      var record = stored.record
      change(&record.decisions)
      return RecordAudit(
        of: replay, against: record, in: try utc("2026-03-02 10:00")..<stage.now,
        hasUnstoredPast: false)
    }
    let same = try audit { _ in }
    #expect(same.difference == nil && same.excuse == nil && same.occurrenceCount == 3)
    let missing = try audit { $0.remove(at: 1) }
    #expect(missing.difference?.recorded == nil && missing.difference?.notification == nil)
    #expect(missing.difference?.replayed?.at == (try utc("2026-03-03 12:00")))
    let added = try audit { decisions in
      var other = decisions[1]
      other.notification.key += 1_000
      decisions.insert(other, at: 2)
    }
    #expect(added.difference?.replayed == nil && added.occurrenceCount == 4)
    #expect(added.difference?.recorded?.outcome == .delivered)
    let moved = try audit { $0[1].notification.at -= .minutes(5) }
    #expect(moved.difference?.recorded?.at == (try utc("2026-03-03 11:55")))
    #expect(moved.followingCount == 0 && moved.excuse == nil)
  }

  /// The recipients switch notifications off before the next attempt.
  @Test func `L6: a drop before another attempt is excused`() throws {
    let stage = try stage(through: "2026-03-02 11:00")
    stage.reply = { .success($0.map { _ in .retry(after: .minutes(30), reason: "busy") }) }
    try stage.run(to: "2026-03-02 12:10")
    for name in ["amina", "bilal", "chadi"] {
      try stage.take("preferences.updated", ["master": false], of: name)
    }
    try stage.run(to: "2026-03-02 18:00")
    #expect(stage.attempts.count == 3 && stage.delivered.isEmpty)
    let audit = try stage.audit(since: "2026-03-02 10:00")
    #expect(audit.excused == [.attempt: 3] && audit.differenceCount == 0)
  }

  /// The sinks fail when the notifications are due, and quiet hours follow.
  @Test func `L6: a hold before another attempt is no difference`() throws {
    let stage = try stage(through: "2026-03-02 11:00")
    stage.reply = { .success($0.map { _ in .retry(after: .minutes(30), reason: "busy") }) }
    try stage.run(to: "2026-03-02 12:10")
    for name in ["amina", "bilal", "chadi"] {
      try stage.take(
        "preferences.updated",
        ["quietHours": ["enabled": true, "start": "12:20", "end": "13:30"]], of: name)
    }
    stage.reply = Stage.accepting
    try stage.run(to: "2026-03-02 18:00")
    #expect(stage.delivered.count == 3)
    let audit = try stage.audit(since: "2026-03-02 10:00")
    #expect((audit.differenceCount, audit.occurrenceCount) == (0, 3), "\(report(audit))")
  }

  @Test func `L6: decisions after a time without service are excused`() throws {
    let stage = try stage(through: "2026-03-02 11:00")
    try stage.restart(at: utc("2026-03-02 13:00"))
    try stage.run(to: "2026-03-02 18:00")
    let late = try stage.audit(since: "2026-03-02 10:00")
    #expect(late.excused == [.late: 3] && late.differenceCount == 0)
    try stage.restart(at: utc("2026-03-07 10:00"))
    try stage.run(to: "2026-03-07 13:00")
    let missed = try stage.audit(since: "2026-03-02 20:00")
    #expect(missed.excused == [.late: 3] && missed.differenceCount == 0)
  }

  @Test func `L6: a late decision explains nothing that was early`() throws {
    let stage = try stage(through: "2026-03-03 13:00")
    let (replay, stored) = try stage.replayAndRecord(of: "amina")
    var record = stored.record
    record.overdueSince = try utc("2026-03-03 11:00")
    record.decisions.remove(at: 0)
    let interval = try utc("2026-03-02 10:00")..<stage.now
    let audit = RecordAudit(of: replay, against: record, in: interval, hasUnstoredPast: false)
    #expect(audit.difference?.planned == (try utc("2026-03-02 12:00")))
  }

  @Test func `L6: an audit begins where events and records are stored`() throws {
    let stage = try stage(through: "2026-03-02 13:00")
    var retention = Retention()
    retention.notifications = .days(3)
    try stage.core().maintenance.pruning.retention = retention
    try stage.run(to: "2026-03-10 13:00")
    let audit = try stage.audit(since: "2026-03-02 10:00")
    #expect((audit.auditedCount, audit.shortenedCount) == (3, 3))
    #expect((audit.differenceCount, audit.followingCount) == (0, 0))
    let stored = try ["amina", "bilal", "chadi"].map { name in
      try stage.core().questions.readers.read { reader in
        let row = try #require(try reader.recipient(named: name)).row
        let pruned = try reader.prunedThrough()
        #expect(pruned > 0)
        return try reader.chain(of: row, from: nil, downTo: pruned, limit: 100).numbers.count
      }
    }
    // The earliest stored decision is left out, because others of its millisecond may be removed.
    #expect(audit.occurrenceCount == stored.reduce(0, +) - 3 && audit.occurrenceCount > 0)
  }

  @Test func `L6: a recipient without the earliest events is audited from their end`() throws {
    let stage = try Stage(catalog: Self.catalog, at: "2026-03-01 09:00")
    try stage.keepEvents(days: 9)
    try stage.take("preferences.updated", ["reminders": ["notes": ["time": "10:00"]]])
    try stage.run(to: "2026-03-12 09:00")
    let audit = try stage.audit(since: "2026-03-05 09:00")
    #expect((audit.auditedCount, audit.shortenedCount, audit.differenceCount) == (1, 0, 0))
    #expect(audit.excused.isEmpty && audit.occurrenceCount == 7)
    #expect(try stage.audit(since: "2026-03-01 09:00").shortenedCount == 1)
  }

  @Test func `L6: a share has at least one recipient, and others each night`() throws {
    let stage = try Stage(catalog: Self.catalog, at: "2026-03-02 09:00")
    for number in 0..<40 { try stage.take("recipient.updated", ["locale": "en"], of: "u\(number)") }
    try stage.run(to: "2026-03-02 13:00")
    for row: UInt32 in 1...40 { try drop(Int64(row), on: stage) }
    func names(_ share: Double, _ day: Int) throws -> [String] {
      let date = LocalDate(daysSinceEpoch: 20_000 + day)
      let audit = try stage.audit(since: "2026-03-02 10:00", .share(share, of: date))
      #expect(audit.auditedCount == audit.differenceCount)
      return audit.findings.map(\.recipient)
    }
    #expect(try names(0.001, 1).count == 1)
    #expect(try names(0.25, 1).count == 10)
    #expect(try names(0.25, 1) == names(0.25, 1))
    #expect(try Set((1...9).flatMap { try names(0.25, $0) }).count > 10)
    #expect(try Set(names(1, 1)).count == 40)
  }

  @Test func `L6: an audit of a past that is not known is refused with the reason`() throws {
    let stage = try stage()
    func word(_ selection: AuditQuery.Selection, since: String) throws -> String {
      switch try stage.query(AuditQuery(selection, since: .instant(utc(since)))) {
      case .known: "known"
      case .unknownRecipient: "unknown recipient"
      case .unknown(let reason): reason.description
      }
    }
    #expect(try word(.recipient("nobody"), since: "2026-03-02 10:00") == "unknown recipient")
    #expect(
      try word(.sample(9), since: "2026-03-05 13:00") == "is in the future; give a past instant")
    #expect(
      try word(.sample(9), since: "2026-03-01 09:00")
        == "is before 2026-03-02T09:00:00.000Z, since when catalogs are recorded")
  }
}

extension Stage {
  /// Audits recipients from an instant until now.
  func audit(
    since: String, _ selection: AuditQuery.Selection = .sample(400)
  ) throws -> ServiceAudit {
    let answer = try query(AuditQuery(selection, since: .instant(utc(since))))
    guard case .known(let audit) = answer else { throw NoAudit(answer: "\(answer)") }
    return audit
  }

  /// Returns the complete replay of a recipient, and the complete record.
  func replayAndRecord(of name: String) throws -> (RecipientReplay, StoredRecord) {
    let replay = try replay(of: name, through: now)
    let record = try core().questions.readers.read { reader in
      let stored = try #require(try reader.recipient(named: name))
      return try StoredRecord(
        of: stored, since: Instant(milliseconds: 0), now: now, in: reader)
    }
    return (replay, record)
  }

  struct NoAudit: Error {
    let answer: String
  }
}
