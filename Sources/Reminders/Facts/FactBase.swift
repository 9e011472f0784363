package import CivilTime

/// The facts that follow from the events of a recipient that the store has removed by age (rule
/// H30). With the stored events they give the facts of any later instant.
///
/// Traces of events are not stored with the events, so a base has none.
package struct FactBase: Hashable, Sendable {
  /// The folded facts. A request that had not expired when it was folded may be finished since.
  package private(set) var facts = Facts()
  /// When the latest of the folded events arrived; nil if none was folded.
  package private(set) var through: Instant?
  /// The number of removed events that the catalogs of their time could not read. The base lacks
  /// their facts, or has those that a later catalog has read.
  package private(set) var unreadableCount = 0
  /// Stored events to which only removed events lead, ascending. From each of them a chain of
  /// previous events continues. An event stays if its request waits, or if a clock was ahead when
  /// it arrived (rule H13).
  package private(set) var earlierEvents: [Int64] = []

  /// The number of events after which finished entities are forgotten. So at most twice as many are
  /// remembered meanwhile.
  private static let reportsMax = Facts.finishedEntitiesMax

  /// When the first of the requests expires, the instant from which `forgetRequests` forgets it;
  /// nil if there are none.
  package var firstExpiry: Instant? {
    var first: Instant?
    facts.requests.forEachPlan { plan in
      let expiry = plan.planned + plan.expires
      first = min(first ?? expiry, expiry)
    }
    return first
  }

  package init() {}

  /// Folds events. Their order does not matter, except for a series that an event ends or resumes.
  /// Finished entities are forgotten once for many events, as when a request has many events.
  ///
  /// - Parameters:
  ///   - events: the events in the order of arrival.
  ///   - name: the recipient's name.
  ///   - planner: returns the planner by which an event that arrived at an instant is read.
  ///   - isOfItsTime: returns whether that planner was current at the instant.
  /// - Complexity: linear in the events times the remembered entities. Planning is evaluated for
  ///   these entities once for `reportsMax` events.
  package mutating func fold(
    _ events: some Sequence<StoredEvent>, of name: String, by planner: (Instant) -> Planner,
    isOfItsTime: (Instant) -> Bool = { _ in true }
  ) {
    var recipient = Recipient(
      name: name, facts: facts, progress: Progress(cutoff: through ?? Instant(milliseconds: 0)))
    // The facts have one owner while they change, so that no event copies them.
    facts = Facts()
    var reports = (count: 0, planner: Planner?.none)
    for stored in events {
      through = max(through ?? stored.received, stored.received)
      let planner = planner(stored.received)
      recipient.facts.rename(by: planner.catalog.renaming)
      let arrivals = try? EventReader(planner: planner).arrivals([stored], of: name)
      guard let event = arrivals?.first?.event else {
        unreadableCount += 1
        continue
      }
      if event.dependsOnCatalog, !isOfItsTime(stored.received) { unreadableCount += 1 }
      recipient.progress = Progress(cutoff: stored.received)
      recipient.fold([Arrival(event, order: stored.order)], planner)
      guard event.isReport else { continue }
      reports = (reports.count + 1, planner)
      if reports.count.isMultiple(of: Self.reportsMax) { recipient.forgetFinished(by: planner) }
    }
    if let planner = reports.planner { recipient.forgetFinished(by: planner) }
    facts = recipient.facts
  }

  /// Records the stored events to which events that are removed now lead.
  ///
  /// - Parameter removed: the events that are removed now.
  package mutating func link(to events: [Int64], without removed: Set<Int64>) {
    guard !events.isEmpty || !earlierEvents.isEmpty else { return }
    earlierEvents = (earlierEvents.filter { !removed.contains($0) } + events).sorted()
  }

  /// Forgets the requests that expired before an instant, so that the base does not grow. Of more
  /// than `Facts.requestsMax` others, forgets those planned first (rule H34).
  package mutating func forgetRequests(expiredBefore end: Instant) {
    var keys: Set<Int64> = []
    var others: [(planned: Instant, key: Int64)] = []
    facts.requests.forEachPlan { plan in
      if plan.planned + plan.expires < end {
        keys.insert(plan.key)
      } else {
        others.append((plan.planned, plan.key))
      }
    }
    let excess = others.count - Facts.requestsMax
    if excess > 0 { keys.formUnion(others.sorted(by: <).prefix(excess).map(\.key)) }
    facts.forget(requests: keys)
  }

  /// Gives renamed reminders their current names (rule T10).
  mutating func rename(by planner: Planner) { facts.rename(by: planner.catalog.renaming) }

  /// Adds pending requests whose events the base does not contain.
  mutating func add(_ requests: [RequestedNotification]) {
    for request in requests where facts.request(request.plan.key) == nil {
      facts.requests.insert(request)
    }
  }

  /// Forgets requests that are finished.
  package mutating func forget(requests keys: Set<Int64>) { facts.forget(requests: keys) }

  /// Forgets everything that names an erased person (rule E12).
  ///
  /// - Returns: whether the base has changed.
  package mutating func forget(_ person: String) -> Bool {
    let former = facts
    facts.forget(person)
    return facts != former
  }
}

extension FactBase {
  /// Forgets the related persons whom the current facts do not name, because they were erased
  /// (rule E12). The events of an ended relation stay in the current facts, those of an erased
  /// person do not.
  package mutating func forgetPersons(notIn current: Facts) {
    guard !facts.relations.isEmpty else { return }
    let known = Set(current.relations.map { ExactText($0.person) })
    let erased = Set(facts.relations.map(\.person)).filter { !known.contains(ExactText($0)) }
    for person in erased { facts.forget(person) }
  }
}

extension Event {
  /// Whether catalogs with other declarations may read other facts from the event.
  fileprivate var dependsOnCatalog: Bool {
    switch content {
    case .preferences, .happening, .report, .cancellation, .resumption, .snooze: true
    case .profile, .device, .request, .requestCancellation, .opening, .deliveryReport, .relation,
      .erasure:
      false
    }
  }
}

extension Recipient {
  fileprivate mutating func forgetFinished(by planner: Planner) {
    forgetFinished(in: PlanningContext(facts: facts, planner: planner))
  }
}

extension FactBase {
  /// The version of the row's format.
  private static let version: UInt8 = 1

  /// The base in the compact format of the store.
  package var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.unsigned(UInt64(Self.version))
    writer.count(through == nil ? 0 : 1)
    if let through { writer.signed(through.milliseconds) }
    writer.count(unreadableCount)
    writer.count(earlierEvents.count)
    for event in earlierEvents { writer.signed(event) }
    let parts = facts.requests.rows
    writer.count(parts.count)
    for part in parts {
      writer.signed(part.key)
      writer.count(part.bytes.count)
      writer.append(part.bytes[...])
    }
    writer.append(facts.encoded[...])
    return writer.bytes
  }

  package init(decoding bytes: UnsafeRawBufferPointer) throws(CodingFailure) {
    var reader = ByteReader(bytes)
    let number = try reader.byte()
    guard number == Self.version else { throw CodingFailure.version(number) }
    if try reader.count() == 1 { through = Instant(milliseconds: try reader.signed()) }
    unreadableCount = Int(clamping: try reader.unsigned())
    for _ in 0..<(try reader.count()) { earlierEvents.append(try reader.signed()) }
    var parts: [RequestPart] = []
    for _ in 0..<(try reader.count()) {
      let key = try reader.signed()
      parts.append(try RequestPart(key: key, decoding: try reader.block(), row: .same))
    }
    facts = try Facts(decoding: UnsafeRawBufferPointer(rebasing: bytes[reader.offset...]))
    try facts.requests.add(parts)
  }
}
