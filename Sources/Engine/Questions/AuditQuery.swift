package import CivilTime
import Reminders
package import Store

/// Compares recipients' records with replays by the catalogs of that time (rule L6).
package struct AuditQuery: EngineQuery {
  /// Many events are evaluated again, by catalogs that have to be read.
  package static var burden: QueryBurden { .trial }

  package enum Selection: Sendable {
    case recipient(String)
    /// An even sample of at most this many recipients.
    case sample(Int)
    /// This share of all recipients, at least one and at most 400, others for each date.
    case share(Double, of: LocalDate)
  }

  package var selection: Selection
  package var start: ReplayQuery.Start

  package init(_ selection: Selection, since start: ReplayQuery.Start) {
    (self.selection, self.start) = (selection, start)
  }

  /// The query stops after this many replayed instants: seconds of work.
  private static let instantsMax = 100_000
  /// The maximum number of recipients of a share.
  private static let shareMax = 400
  /// How long before the interval decisions are read, so that late ones find their counterparts.
  private static let margin = TimeSpan.days(1)

  package func answer(from questions: Questions, now: Instant) throws(StoreError) -> AuditAnswer {
    var since = start.instant(before: now)
    guard since < now else { return .unknown(.future) }
    let people = questions.published.view.recipients
    let rows = try questions.readers.read { try self.rows(in: $0, questions, people) }
    guard let rows else { return .unknownRecipient }
    let planners = try questions.readers.read {
      try FormerPlanners(current: questions.planner, until: now, in: $0)
    }
    if case .share = selection { since = max(since, planners.start ?? since) }
    guard let first = planners.start, first <= since else {
      return .unknown(.noAdoption(first: planners.start))
    }
    let periods: PlannerPeriods
    switch planners.periods(until: now) {
    case .success(let known): periods = known
    case .failure(let unknown): return .unknown(unknown)
    }
    var audit = ServiceAudit(
      since: since, now: now, people: isForOne ? 1 : people,
      missingZones: planners.missingZones(until: now))
    let selectedMax = selectedMax(of: people)
    for row in rows where audit.instantCount < Self.instantsMax && audit.examined < selectedMax {
      let unknown = try add(row, to: &audit, periods, adoptedSince: first, questions)
      if isForOne, let unknown { return .unknown(unknown) }
    }
    return .known(audit)
  }

  private var isForOne: Bool { if case .recipient = selection { true } else { false } }

  private func selectedMax(of people: Int) -> Int {
    guard case .share(let share, _) = selection else { return .max }
    return max(1, min(Self.shareMax, Int((Double(people) * share).rounded(.up))))
  }

  /// Returns the rows of the selected recipients; nil if the selected one is unknown.
  private func rows(
    in reader: any StoreReader, _ questions: Questions, _ people: Int
  ) throws -> [UInt32]? {
    switch selection {
    case .recipient(let name): try reader.recipient(named: name).map { [$0.row] }
    case .sample(let size): Questions.sample(through: try reader.lastRecipient(), size: size)
    case .share(_, let date):
      Self.draw(
        selectedMax(of: people), through: try reader.lastRecipient(), date, questions.instance)
    }
  }

  /// Returns rows without repetition, in an order that depends on the date and the store. Some may
  /// be without a recipient, so there are more than the needed ones.
  private static func draw(
    _ count: Int, through last: UInt32, _ date: LocalDate, _ instance: String
  ) -> [UInt32] {
    guard last > 0 else { return [] }
    let numbers = ["first", "step"].map { purpose in
      var hash = SipHash(key: SipHash.Key(first: 0, second: 0))
      for text in [instance, "\(date)", purpose] { hash.add(text) }
      return Int(hash.finished() % UInt64(last))
    }
    var step = max(1, numbers[1])
    // Steps without a common divisor reach each row once.
    while !isCoprime(step, Int(last)) { step += 1 }
    return (0..<min(Int(last), 8 * count + 64)).map { index in
      UInt32((numbers[0] + index * step) % Int(last)) + 1
    }
  }

  private static func isCoprime(_ one: Int, _ other: Int) -> Bool {
    var (one, other) = (one, other)
    while other != 0 { (one, other) = (other, one % other) }
    return one == 1
  }

  /// Audits a recipient. The snapshot is closed before the replay, because that may take seconds.
  ///
  /// - Returns: the reason why the recipient's past is not known; nil if it is.
  private func add(
    _ row: UInt32, to audit: inout ServiceAudit, _ periods: PlannerPeriods, adoptedSince: Instant,
    _ questions: Questions
  ) throws(StoreError) -> UnknownPast? {
    let (now, readSince) = (audit.now, audit.since - Self.margin)
    let stored = try questions.readers.read { reader in
      try reader.recipient(row: row).map { recipient in
        (
          recipient.recipient.name, try FormerFacts.stored(of: recipient, in: reader, now: now),
          try StoredRecord(of: recipient, since: readSince, now: now, in: reader)
        )
      }
    }
    guard let (name, facts, record) = stored else { return nil }
    switch facts {
    case .success(let facts):
      guard let replay = RecipientReplay(of: facts, by: periods) else { return nil }
      return audit.add(
        replay, of: name, against: record, readSince: readSince, adoptedSince: adoptedSince)
    case .failure(let unknown):
      audit.leaveOut()
      return unknown
    }
  }
}

package enum AuditAnswer: Sendable {
  case known(ServiceAudit)
  case unknownRecipient
  case unknown(UnknownPast)
}
