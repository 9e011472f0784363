import CivilTime

/// What goes out of that which is due, and what waits for interval and cap (rule V5).
extension Recipient {
  /// Of two due occurrences of one repeating reminder the later goes (rule V6).
  mutating func dropTwins(_ open: inout [Candidate], _ turn: inout Turn) {
    var latest: [OccurrencePlace: Instant] = [:]
    for candidate in open where candidate.reminder.isRepeating && !candidate.isCollected {
      let place = OccurrencePlace(candidate.entry, key: 0)
      latest[place] = max(latest[place] ?? candidate.entry.planned, candidate.entry.planned)
    }
    guard latest.count < open.count else { return }
    open.removeAll { candidate in
      guard let last = latest[OccurrencePlace(candidate.entry, key: 0)],
        candidate.entry.planned < last, candidate.reminder.isRepeating, !candidate.isCollected
      else { return false }
      let firing = missed(
        candidate.entry, of: candidate.reminder, at: turn.now, in: turn.context)
      settle(firing, of: candidate, in: turn.context)
      turn.firings.append(firing)
      return true
    }
  }

  /// What goes out together, in the order of turns.
  func units(of open: [Candidate], _ turn: inout Turn) -> [Bundling.Unit] {
    let singles = open.indices.map { Bundling.Unit(members: [$0]) }
    guard open.count > 1, open.contains(where: \.isReleased) else { return singles }
    let patience = Patience(open, at: turn.now, in: turn.context)
    let released = open.indices.filter { index in
      open[index].isReleased && !isKept(from: open[index], patience, &turn)
    }
    guard released.count > 1 else { return singles }
    var units = Bundling(released.map { open[$0] }, in: turn.context).units
    for index in units.indices { units[index].rename(released) }
    let bundled = Set(released)
    let others = open.indices.filter { !bundled.contains($0) }
    units += others.map { Bundling.Unit(members: [$0]) }
    return units.sorted { $0.members[0] < $1.members[0] }
  }

  /// Whether a slot is kept from a candidate for what is more urgent, be it to come later that day
  /// or waiting since earlier: it is no part of a digest then.
  private func isKept(
    from candidate: Candidate, _ patience: Patience, _ turn: inout Turn
  ) -> Bool {
    guard turn.context.settings.hasSlots, candidate.entry.isPatient(at: turn.now)
    else { return false }
    var input = candidate.input
    input.recent = progress.recent
    input.kept = kept(from: input.urgency, &turn)
    guard Self.hasSlot(input, turn.now) else { return true }
    let count = patience.count(before: candidate.urgency)
    guard count > 0 else { return false }
    if input.minimumInterval != nil { return true }
    // More than the cap lets go make no difference.
    let slots = min(count, Int(clamping: input.capPerDay ?? 0))
    input.recent += Array(repeating: turn.now, count: slots)
    return !Self.hasSlot(input, turn.now)
  }

  /// Lets something go, or lets it wait for interval and cap: it has the turn of its most urgent
  /// member, and takes one slot.
  mutating func release(
    _ members: [Candidate], _ unit: Bundling.Unit, _ turn: inout Turn
  ) {
    let needsSlot = members[0].input.isCounted && !members[0].isForward
    if needsSlot, turn.context.settings.hasSlots {
      var input = members[0].input
      input.recent = progress.recent
      guard Self.hasSlot(input, turn.now) else {
        for member in members { wait(member, for: nil, &turn) }
        return
      }
      input.kept = kept(from: input.urgency, &turn)
      guard input.kept == nil || Self.hasSlot(input, turn.now) else {
        for member in members { wait(member, for: input.kept, &turn) }
        return
      }
    }
    if unit.digests.isEmpty {
      for member in members { deliver(member, &turn) }
    } else {
      deliver(members, as: unit, &turn)
    }
    if members[0].input.isCounted { progress.count(delivery: turn.now) }
  }

  static func hasSlot(_ input: GateInput, _ now: Instant) -> Bool {
    Gate.slots.allSatisfy { Gates.finding($0, input, at: now) == .passes }
  }

  /// What is known to come that day has its slot kept from what is less urgent.
  private func kept(from urgency: Urgency, _ turn: inout Turn) -> KeptSlots? {
    guard urgency < .high, mayKeep(above: urgency, turn) else { return nil }
    let date = turn.context.zone.date(at: turn.now)
    if turn.day?.date != date {
      turn.day = dayAhead(
        on: date, from: turn.now, held: turn.held, planned: turn.planned, in: turn.context)
    }
    return turn.day?.kept(from: urgency, at: turn.now)
  }

  /// Whether there is anything more urgent at all, for most often there is not.
  private func mayKeep(above urgency: Urgency, _ turn: Turn) -> Bool {
    func isMore(_ entry: Progress.UnderWay) -> Bool {
      turn.context.catalog.reminder(entry.reminder).map {
        turn.context.urgency(of: $0) > urgency
      } ?? false
    }
    return turn.planned.mayHave(above: urgency, in: turn.context)
      || progress.underWay.contains(where: isMore) || turn.held.contains(where: isMore)
  }

  /// Holds what finds no slot, or drops it.
  ///
  /// - Parameter kept: what keeps the slot from it; nil if there is none.
  private mutating func wait(
    _ candidate: Candidate, for kept: KeptSlots?, _ turn: inout Turn
  ) {
    var candidate = candidate
    candidate.input.recent = progress.recent
    guard let kept else {
      let fate = fate(of: candidate.input, &turn)
      let decision =
        fate.outcome == .dropped ? fate : Gates.decide(candidate.input, from: turn.now)
      // Released later that day for another reason, it is one of those that are known to come.
      if decision.trace.hasHeld(.quietHours) { turn.day = nil }
      return conclude(candidate, decision, isWaiting: true, &turn)
    }
    candidate.input.kept = kept
    var decision = candidate.decision
    let findings = Gate.slots.map { Gates.finding($0, candidate.input, at: turn.now) }
    for (gate, finding) in zip(Gate.slots, findings) { decision.trace.note(gate, finding) }
    guard !findings.contains(.drops) else {
      decision.outcome = .dropped
      return conclude(candidate, decision, isWaiting: true, &turn)
    }
    keepWaiting(candidate, decision.trace, findings, for: kept, &turn)
  }

  /// It is asked again when what the slot is kept for has had its turn, or when it expires. Where
  /// there is no interval, the day has no slot for it any more.
  private func keepWaiting(
    _ candidate: Candidate, _ trace: GateTrace, _ findings: [Finding], for kept: KeptSlots,
    _ turn: inout Turn
  ) {
    var firing = firing(candidate, &turn)
    firing.trace.add(trace)
    firing.waitsFor = kept.beneficiary
    let until =
      findings.compactMap { finding in
        if case .holds(let until) = finding { until } else { nil }
      }.max() ?? kept.beneficiary.at
    firing.result = .held(until: until)
    let next = candidate.input.minimumInterval == nil ? until : kept.beneficiary.at
    let due = min(next, candidate.input.expiry + .milliseconds(1))
    hold(
      candidate, firing, until: due, isWaiting: true,
      isToNextDay: candidate.input.minimumInterval == nil, &turn)
  }
}

extension Candidate {
  fileprivate var isCollected: Bool { entry.channelGroup == .collected }
}

/// How much of what waits for a slot since earlier is more urgent than an urgency; each digest is
/// one.
private struct Patience {
  private var counts: [Urgency: Int] = [:]

  /// - Complexity: linear in the candidates.
  init(_ open: [Candidate], at now: Instant, in context: PlanningContext) {
    let patient = open.filter { $0.isReleased && $0.entry.isPatient(at: now) }
    for urgency in Set(patient.map(\.urgency)) {
      let others = patient.filter { $0.urgency > urgency }
      counts[urgency] = others.isEmpty ? 0 : Bundling(others, in: context).units.count
    }
  }

  func count(before urgency: Urgency) -> Int { counts[urgency] ?? 0 }
}

extension Bundling {
  fileprivate init(_ candidates: [Candidate], in context: PlanningContext) {
    let members = candidates.map { candidate in
      Member(
        channels: context.outgoing(
          candidate.reminder, key: candidate.entry.key, channelGroup: candidate.entry.channelGroup),
        isFromVacation: candidate.entry.holds.hasHeld(.vacation),
        isCollected: candidate.isCollected)
    }
    self.init(members, threshold: Int(clamping: context.settings[.bundlingThreshold]))
  }
}

extension OccurrencePlace {
  init(_ entry: Progress.UnderWay, key: Int64) {
    (reminder, self.key, place) = (entry.reminder, key, entry.channelGroup.place)
  }
}

extension Bundling.Unit {
  /// Gives its members the places of other things.
  fileprivate mutating func rename(_ places: [Int]) {
    members = members.map { places[$0] }
    for index in digests.indices {
      digests[index].members = digests[index].members.map { places[$0] }
    }
  }
}
