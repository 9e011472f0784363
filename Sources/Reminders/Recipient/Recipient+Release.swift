import CivilTime

/// Sends occurrences that pass all gates, or makes them wait for minimum interval and cap (rules
/// V5, V13).
extension Recipient {
  /// Keeps only the latest due occurrence of each repeating reminder. Also keeps only the latest
  /// due lead (reminder ahead of an instant) of each entity. Drops the others (rule V6).
  mutating func dropSuperseded(_ passed: inout [Candidate], _ decisions: inout Decisions) {
    let groups = passed.map { SupersessionGroup($0, in: decisions.context) }
    var latest: [SupersessionGroup: Instant] = [:]
    for case (let group?, let candidate) in zip(groups, passed) {
      latest[group] = max(latest[group] ?? candidate.entry.planned, candidate.entry.planned)
    }
    let isEarlier = zip(groups, passed).map { group, candidate in
      group.flatMap { latest[$0] }.map { candidate.entry.planned < $0 } ?? false
    }
    guard isEarlier.contains(true) else { return }
    for (candidate, isEarlier) in zip(passed, isEarlier) where isEarlier {
      let firing = missed(
        candidate.entry, of: candidate.reminder, at: decisions.now, in: decisions.context)
      recordFinished(firing, of: candidate, in: decisions.context)
      decisions.firings.append(firing)
    }
    passed = zip(passed, isEarlier).filter { !$1 }.map(\.0)
  }

  /// Makes candidates wait until the recipient's day starts if the cap of an earlier date holds
  /// them. Until then they join no digest (rule V9).
  mutating func waitForDayStart(_ passed: inout [Candidate], _ decisions: inout Decisions) {
    passed.removeAll { candidate in
      guard candidate.input.cappedOn != nil, candidate.input.isCounted, !candidate.isEarly,
        !candidate.input.ignores(candidate.input.isCappedByPolicy ? .policyCap : .dailyCap),
        candidate.input.capRelease(at: decisions.now) != nil
      else { return false }
      wait(candidate, for: nil, &decisions)
      return true
    }
  }

  /// Divides occurrences into units, in the order of their most urgent members. The members of a
  /// unit are sent or held together. Occurrences that have waited until now may form digests.
  func units(
    of passed: [Candidate], at now: Instant, in context: PlanningContext
  ) -> [Bundling.Unit] {
    guard passed.count > 1 else { return passed.indices.map { Bundling.Unit(members: [$0]) } }
    let bundled = passed.indices.filter { passed[$0].mayJoinDigest }
    guard bundled.count > 1 else { return passed.indices.map { Bundling.Unit(members: [$0]) } }
    var units = Bundling(bundled.map { passed[$0] }, at: now, in: context).units
    for index in units.indices { units[index].replaceIndices(by: bundled) }
    let others = passed.indices.filter { !passed[$0].mayJoinDigest }
    units += others.map { Bundling.Unit(members: [$0]) }
    return units.sorted { $0.members[0] < $1.members[0] }
  }

  /// Sends the occurrences that pass, or makes them wait, the most urgent first. If a cap of the
  /// operator holds a member of a digest, the remaining occurrences are sorted and combined again.
  /// So the rest of the digest does not keep the urgency of that member (rules V5, V20).
  mutating func releaseAll(_ candidates: consuming [Candidate], _ decisions: inout Decisions) {
    var passed = consume candidates
    var units = units(of: passed, at: decisions.now, in: decisions.context)[...]
    while let unit = units.popFirst() {
      let capped = waitForPolicyCaps(unit, of: passed, &decisions)
      guard capped.isEmpty else {
        let others = ([unit] + units).flatMap(\.members).filter { !capped.contains($0) }.sorted()
        passed = others.map { passed[$0] }
        units = self.units(of: passed, at: decisions.now, in: decisions.context)[...]
        continue
      }
      let count = decisions.firings.count
      release(unit.members.map { passed[$0] }, unit, &decisions)
      shareMessages(of: decisions.firings[count...], for: &passed, &decisions)
    }
  }

  /// Sends a unit, or makes it wait for minimum interval and cap. The unit counts as one delivery
  /// with the urgency of its most urgent member. The cap may hold a digest, but never drops a
  /// member of it.
  private mutating func release(
    _ members: [Candidate], _ unit: Bundling.Unit, _ decisions: inout Decisions
  ) {
    guard !unit.digests.isEmpty else {
      guard mayRelease(members, &decisions) else { return }
      for index in members.indices { deliver(members[index], &decisions) }
      return count(members, &decisions)
    }
    var members = members
    for index in members.indices { members[index].input.capAction = .hold }
    guard mayRelease(members, &decisions) else { return }
    deliver(members, as: unit, &decisions)
    count(members, &decisions)
  }

  /// Returns whether minimum interval, caps and reservations let a unit pass now; otherwise its
  /// members wait.
  private mutating func mayRelease(_ members: [Candidate], _ decisions: inout Decisions) -> Bool {
    guard members[0].input.isLimited, members[0].input.isCounted, !members[0].isEarly else {
      return true
    }
    var input = members[0].input
    progress.setCountedDeliveries(of: &input)
    guard Self.hasCapacity(input, decisions.now) else {
      for member in members { wait(member, for: nil, &decisions) }
      return false
    }
    input.reservations = reservations(from: input, &decisions)
    guard input.reservations == nil || Self.hasCapacity(input, decisions.now) else {
      for member in members { wait(member, for: input.reservations, &decisions) }
      return false
    }
    return true
  }

  /// Counts a sent unit towards minimum interval and caps.
  private mutating func count(_ members: [Candidate], _ decisions: inout Decisions) {
    guard members[0].input.isCounted else { return }
    progress.count(delivery: decisions.now)
    guard !decisions.context.catalog.policies.caps.isEmpty || !progress.capped.isEmpty else {
      return
    }
    let capped = members.filter { !$0.input.policyCaps.isEmpty }
    guard !capped.isEmpty else { return progress.forgetCapped(at: decisions.now) }
    progress.count(
      delivery: decisions.now,
      in: Set(capped.map { decisions.context.categorySymbol(of: $0.reminder) }))
    if capped.contains(where: { mayEndReservations($0, decisions) }) { decisions.day = nil }
  }

  /// Returns whether a delivery may have used the capacity of a cap of the operator. If so,
  /// reservations under that cap end, and the reservations must be computed again.
  private func mayEndReservations(_ candidate: Candidate, _ decisions: Decisions) -> Bool {
    guard let date = decisions.day?.date else { return false }
    var input = candidate.input
    progress.setCountedDeliveries(of: &input)
    return input.policyCaps.contains {
      $0.intervalEnd != nil || $0.isFull(on: date, in: input.zone)
    }
  }

  /// Makes those members of a digest wait that a cap of the operator holds (rule V20).
  ///
  /// - Returns: the indices of these members.
  private mutating func waitForPolicyCaps(
    _ unit: Bundling.Unit, of passed: [Candidate], _ decisions: inout Decisions
  ) -> [Int] {
    guard !unit.digests.isEmpty else { return [] }
    let capped = unit.members.filter { index in
      var input = passed[index].input
      progress.setCountedDeliveries(of: &input)
      return Gates.finding(.policyCap, input, at: decisions.now) != .passes
    }
    for index in capped {
      var member = passed[index]
      member.input.capAction = .hold
      wait(member, for: nil, &decisions)
    }
    return capped
  }

  /// Returns whether minimum interval and caps let an occurrence pass now.
  static func hasCapacity(_ input: GateInput, _ now: Instant) -> Bool {
    input.conditionalGates.allSatisfy { Gates.finding($0, input, at: now) == .passes }
  }

  /// Returns the reservations for later occurrences of the same local date. Such an occurrence is
  /// more urgent than the input's occurrence, or it is as urgent, older and already waiting.
  private func reservations(
    from input: GateInput, _ decisions: inout Decisions
  ) -> CapReservations? {
    guard decisions.context.settings.limitsDeliveries,
      mayHaveReservations(above: input.urgency, decisions)
    else {
      return nil
    }
    let date = decisions.context.zone.date(at: decisions.now)
    if decisions.day?.date != date {
      decisions.day = dayAhead(
        on: date, from: decisions.now, held: decisions.held, planned: decisions.planned,
        in: decisions.context)
    }
    return decisions.day?.reservations(from: input, at: decisions.now)
  }

  /// Returns whether any occurrence could have a reservation that makes an occurrence of this
  /// urgency wait. Usually none could, so that the day's occurrences need not be collected.
  private func mayHaveReservations(above urgency: Urgency, _ decisions: Decisions) -> Bool {
    func mayPrecede(_ entry: Progress.InProgress) -> Bool {
      guard entry.due > decisions.now,
        let reminder = decisions.context.catalog.reminder(entry.reminder)
      else { return false }
      let other = decisions.context.urgency(of: reminder)
      return other > urgency || (other == urgency && entry.isWaiting)
    }
    return decisions.planned.mayHave(above: urgency, in: decisions.context)
      || progress.inProgress.contains(where: mayPrecede)
      || decisions.held.contains(where: mayPrecede)
  }

  /// Makes an occurrence wait for minimum interval or cap. The occurrence is dropped when it
  /// expires, or at once if its category declares that.
  ///
  /// - Parameter reserved: the reservations that make the occurrence wait; nil if there are none.
  private mutating func wait(
    _ candidate: Candidate, for reserved: CapReservations?, _ decisions: inout Decisions
  ) {
    var candidate = candidate
    progress.setCountedDeliveries(of: &candidate.input)
    candidate.input.reservations = reserved
    let gates = candidate.input.conditionalGates
    let findings = gates.map { Gates.finding($0, candidate.input, at: decisions.now) }
    var decision = candidate.decision
    for (gate, finding) in zip(gates, findings) { decision.trace.note(gate, finding) }
    guard !findings.contains(.drops) else {
      decision.outcome = .dropped
      return holdOrDrop(candidate, decision, isWaiting: true, &decisions)
    }
    keepWaiting(candidate, decision.trace, findings, for: reserved, &decisions)
  }

  /// Keeps an occurrence waiting. Its gates are evaluated again when interval and cap allow the
  /// occurrence, or when it expires. If a reservation makes the occurrence wait, its gates may also
  /// be evaluated when the occurrence with the reservation is sent. This is done if there is a
  /// minimum interval or a cap of the operator. Otherwise, the evaluation would change nothing,
  /// because the cap of the day has no capacity left.
  private func keepWaiting(
    _ candidate: Candidate, _ trace: GateTrace, _ findings: [Finding],
    for reserved: CapReservations?,
    _ decisions: inout Decisions
  ) {
    var firing = firing(candidate, &decisions)
    firing.trace.add(trace)
    firing.waitsFor = reserved?.beneficiary
    var until = decisions.now
    for case .holds(let end) in findings { until = max(until, end) }
    if reserved == nil {
      let predicted = Gates.decide(candidate.input, from: decisions.now)
      if predicted.outcome == .delivered {
        firing.trace.add(predicted.trace)
        until = predicted.at
      }
    }
    firing.result = .held(until: until)
    // A delivery may fill a cap of the operator, so that another reservation ends (rule V20).
    let mayEnd =
      candidate.input.minimumInterval != nil || !decisions.context.catalog.policies.caps.isEmpty
    let waitsForBeneficiary = reserved != nil && mayEnd
    let next = waitsForBeneficiary ? reserved.map { min(until, $0.beneficiary.at) } ?? until : until
    let due = min(next, candidate.input.expiry + .milliseconds(1))
    // Without a reservation, the occurrence may become due later on the same day. If so, it belongs
    // to the occurrences in `decisions.day`, which must be collected again.
    if reserved == nil, decisions.context.zone.date(at: due) == decisions.day?.date {
      decisions.day = nil
    }
    hold(candidate, firing, until: due, isWaiting: true, &decisions)
  }
}

/// Identifies occurrences of which only the latest is sent if several are due at one instant. They
/// belong to a repeating reminder, or are the leads of one entity.
private struct SupersessionGroup: Hashable {
  let occurrence: OccurrenceInGroup
  /// The index of the entity's item; nil for a repeating reminder.
  let item: Int?
  /// The number of the series; nil unless the reminder repeats.
  let series: Int64?

  init?(_ candidate: Candidate, in context: PlanningContext) {
    let (entry, reminder) = (candidate.entry, candidate.reminder)
    occurrence = OccurrenceInGroup(entry, key: 0)
    series = reminder.series(of: entry.key)
    if reminder.isRepeating, !candidate.isCollected {
      item = nil
    } else if entry.deadline != nil, !entry.isSnoozed,
      let occurrence = context.occurrence(of: reminder, key: entry.key), let index = occurrence.item
    {
      item = index
    } else {
      return nil
    }
  }
}

extension Candidate {
  fileprivate var isCollected: Bool { entry.channelGroup == .collected }
}

extension Bundling {
  fileprivate init(_ candidates: [Candidate], at now: Instant, in context: PlanningContext) {
    let members = candidates.map { candidate in
      Member(
        channels: context.outgoingChannels(
          candidate.reminder, key: candidate.entry.key,
          channelGroup: candidate.entry.channelGroup, at: now),
        isFromVacation: candidate.entry.holds.hasHeld(.vacation),
        isSnoozed: candidate.entry.isSnoozed,
        isCollected: candidate.isCollected,
        isAlone: context.hasOwnChannels(candidate.reminder, key: candidate.entry.key))
    }
    self.init(members, threshold: Int(clamping: context.settings[.bundlingThreshold]))
  }
}

extension OccurrenceInGroup {
  init(_ entry: Progress.InProgress, key: Int64) {
    (reminder, self.key, channelGroupNumber) = (entry.reminder, key, entry.channelGroup.number)
  }
}

extension Bundling.Unit {
  /// Replaces each index by the element of the list at that index.
  fileprivate mutating func replaceIndices(by newIndices: [Int]) {
    members = members.map { newIndices[$0] }
    for index in digests.indices {
      digests[index].members = digests[index].members.map { newIndices[$0] }
    }
  }
}
