import CivilTime
import Outbox
import Reminders
import ServiceDouble
import Store
import Synchronization

@testable import Engine

/// A service that records its input and answers as configured.
final class FakeService: ServiceDouble {
  let planner: Planner
  private let state = Mutex(State())

  struct State {
    /// The submitted events, a group at a time.
    var groups: [[Event]] = []
    var agendas: [String: Agenda] = [:]
    var recipients: [String: Recipient] = [:]
    /// The histories of notifications by their ids.
    var histories: [String: HistoryAnswer] = [:]
    /// The base of every recipient's facts.
    var base: FactBase?
    /// The state of every recipient at every past instant.
    var former: PastAnswer<FormerRecipient>?
    /// Every recipient at every past instant, with its progress.
    var replayed: PastAnswer<ReplayedRecipient>?
    var unavailability: ServiceUnavailable?
    /// The number of groups that are still accepted. After that the service is unavailable.
    var groupsLeft = Int.max
    var loss: StoreLoss?
    /// Why the sink "hook" could not be created; nil if there is no such sink.
    var hookFault: String?
    var outdatedSinks: [String] = []
    /// The seconds since the engine's last sign of progress.
    var engineAge = 0.25
    var erasureOpen: Instant?
    /// Ids of events that are refused as conflicts.
    var conflicts: Set<String> = []
    /// Recipients beyond their limit, whose events are refused.
    var overfull: Set<String> = []
    /// Recipients that belong to other nodes.
    var foreign: Set<String> = []
    var fleet: FleetOverview?
    /// Dead letters by their ids.
    var letters: [String: DeadLetter] = [:]
    /// Called after events are accepted and before the answer.
    var whenAccepted: @Sendable () -> Void = {}
  }

  init(_ planner: Result<Planner, any Error> = Fixtures.planner) throws {
    self.planner = try planner.get()
  }

  func set(_ change: (inout State) -> Void) {
    state.withLock { change(&$0) }
  }

  /// The ids of the submitted events, a group at a time.
  var groups: [[String]] { state.withLock { $0.groups.map { $0.map(\.identifier) } } }
  var events: [Event] { state.withLock { $0.groups.flatMap(\.self) } }

  func submit(_ events: [Event]) async throws(ServiceUnavailable) -> [Receipt] {
    try checkAvailability()
    defer { state.withLock { $0.whenAccepted }() }
    return try state.withLock { state throws(ServiceUnavailable) in
      guard state.groupsLeft > 0 else { throw ServiceUnavailable(.storageFull, "the disk is full") }
      state.groupsLeft -= 1
      var known = Set(state.groups.flatMap { $0.map(\.identifier) })
      state.groups.append(events)
      return events.map { event in
        if state.conflicts.contains(event.identifier) {
          let refusal = Refusal(.conflict, path: "id", "was used before for another event")
          return .refused(refusal)
        }
        if state.foreign.contains(event.recipient) { return .elsewhere(shard: 3) }
        if state.overfull.contains(event.recipient) {
          return .refused(Refusal(.overfull, path: "subject", "has too many open entities"))
        }
        return known.insert(event.identifier).inserted ? .accepted : .duplicate
      }
    }
  }

  func answer<Query: EngineQuery>(
    _ query: Query
  ) async throws(ServiceUnavailable) -> Query.Value {
    try checkAvailability()
    if let answer = query.answer(by: agenda) { return answer }
    if let answer = query.answer(by: recipient) { return answer }
    if let answer = query.answer(by: history) { return answer }
    if let answer = query.answer(by: status) { return answer }
    if let answer = query.answer(by: metrics) { return answer }
    if let answer = query.answer(by: fleet) { return answer }
    if let answer = query.answer(by: deadLetter) { return answer }
    if let answer = query.answer(by: analytics) { return answer }
    if let answer = query.answer(by: usage) { return answer }
    if let answer = query.answer(by: export) { return answer }
    if let answer = query.answer(by: base) { return answer }
    if let former = state.withLock({ $0.former }) {
      let answer = query.answer { (_: FormerRecipientQuery) in former }
      if let answer { return answer }
    }
    if let replayed = state.withLock({ $0.replayed }) {
      let answer = query.answer { (_: ReplayedRecipientQuery) in replayed }
      if let answer { return answer }
    }
    return try emptyAnswer(to: query)
  }

  /// Applies the write to the recipient in memory.
  func write(_ write: Write) async throws(ServiceUnavailable) -> WriteReceipt {
    try checkAvailability()
    return state.withLock { state in
      let now = Fixtures.now
      guard let name = write.events.first?.recipient else { return .outdated(version: 0) }
      var recipient = state.recipients[name] ?? Recipient(name: name, now: now)
      let version = recipient.facts.preferencesVersion
      if let expected = write.version, expected != version { return .outdated(version: version) }
      let consequences = recipient.consequences(of: write.events, now: now, planner: planner)
      state.groups.append(write.events)
      for event in write.events {
        recipient.apply(event, order: Int64(state.groups.count), now: now, planner: planner)
      }
      state.recipients[name] = recipient
      return .done(consequences, version: recipient.facts.preferencesVersion)
    }
  }

  func setDraining(
    _ isDraining: Bool, node: String
  ) async throws(ServiceUnavailable) -> DrainDecision? {
    try checkAvailability()
    return state.withLock { $0.fleet?.stored.drain(node, isDraining) }
  }

  // MARK: - Answers

  private func agenda(_ query: AgendaQuery) -> Agenda? {
    state.withLock { $0.agendas[query.recipient] }
  }

  private func recipient(_ query: RecipientQuery) -> Recipient? {
    state.withLock { $0.recipients[query.recipient] }
  }

  private func base(_ query: FactBaseQuery) -> FactBase? { state.withLock { $0.base } }

  private func history(_ query: NotificationQuery) -> HistoryAnswer {
    state.withLock { $0.histories[query.notification] ?? .unknownNotification }
  }

  private func status(_ query: StatusQuery) -> ServiceStatus {
    ServiceStatus(
      now: Fixtures.now, started: Fixtures.now - .hours(2), recipients: 3, pending: 5,
      next: [
        .init(reminder: "daily-checkin-reminder", recipients: 2, at: Fixtures.now + .minutes(5)),
        .init(reminder: "lesson-reminder", recipients: 1, at: Fixtures.now + .hours(5)),
      ],
      lanes: [
        .init(sink: "journal", type: "journal", waiting: 0, retrying: 0, failure: nil),
        Fixtures.stuckLane,
      ] + state.withLock { $0.hookFault.map { [Fixtures.unavailableLane(reason: $0)] } ?? [] },
      analytics: Fixtures.stuckLane,
      routes: Routes(
        [.push: ["webhook", "journal"], .email: ["journal"], .sms: []], analytics: "webhook"),
      catalogs: ["test"], zoneDatabase: "2026f", defaultZone: "UTC",
      endingTokens: [Fixtures.endingToken].compactMap(\.self), replanning: 2, diskUse: 0.96,
      loss: state.withLock { $0.loss }, erasureOpen: state.withLock { $0.erasureOpen },
      reloadFailure: "the last reload was rejected: a.yaml:1:1: it is empty",
      outdatedSinks: state.withLock { $0.outdatedSinks }, audit: Fixtures.audit,
      counters: Fixtures.metrics.counters,
      parts: [
        .init(
          name: "engine", secondsWithoutProgress: state.withLock { $0.engineAge }, allowance: 20,
          isVital: true)
      ],
      fleet: state.withLock { $0.fleet })
  }

  private func metrics(_ query: MetricsQuery) -> ServiceMetrics { Fixtures.metrics }

  private func fleet(_ query: FleetQuery) -> FleetOverview? { state.withLock { $0.fleet } }

  private func deadLetter(_ query: DeadLetterQuery) -> DeadLetter? {
    state.withLock { $0.letters[query.letter] }
  }

  private func analytics(_ query: AnalyticsQuery) -> AnalyticsPage? {
    let records = Fixtures.analytics.filter { $0.number > query.after }.prefix(query.limit)
    guard [nil, "u1"].contains(query.recipient) else { return nil }
    let last = Fixtures.analytics.last?.number ?? 0
    return AnalyticsPage(
      records: Array(records), hasMore: records.last.map { $0.number < last } ?? false)
  }

  private func usage(_ query: UsageQuery) -> UsageTable {
    let dates = query.first.daysSinceEpoch...query.last.daysSinceEpoch
    return UsageTable(Fixtures.usage.filter { dates.contains($0.key.hour.date.daysSinceEpoch) })
  }

  /// Two pages of events, one of notifications and two of rejected submissions for each known
  /// recipient.
  private func export(_ query: ExportQuery) -> ExportPage? {
    guard state.withLock({ $0.recipients[query.recipient] }) != nil else { return nil }
    switch query.cursor {
    case .events(from: nil, _):
      return ExportPage(events: [Fixtures.pastEvent("2")], next: .events(from: 1))
    case .events:
      return ExportPage(events: [Fixtures.pastEvent("1")], next: .notifications(after: 0))
    case .notifications:
      return ExportPage(notifications: [Fixtures.pastNotification], next: .refused(after: 0))
    case .refused(let number):
      guard number < 2 else { return ExportPage() }
      let submission = RefusedSubmission(
        number: number + 1, at: Instant(milliseconds: number), text: "{}", reason: "no \(number)")
      return ExportPage(refused: [submission], next: .refused(after: number + 1))
    }
  }

  private func checkAvailability() throws(ServiceUnavailable) {
    if let unavailability = state.withLock({ $0.unavailability }) { throw unavailability }
  }
}
