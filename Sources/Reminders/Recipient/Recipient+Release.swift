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

  /// What goes out together, in the order of turns: all that a gate has held until now may be in
  /// one digest.
  func units(of open: [Candidate], in context: PlanningContext) -> [Bundling.Unit] {
    let released = open.indices.filter { open[$0].isReleased }
    guard released.count > 1 else { return open.indices.map { Bundling.Unit(members: [$0]) } }
    var units = Bundling(released.map { open[$0] }, in: context).units
    for index in units.indices { units[index].rename(released) }
    let others = open.indices.filter { !open[$0].isReleased }
    units += others.map { Bundling.Unit(members: [$0]) }
    return units.sorted { $0.members[0] < $1.members[0] }
  }

  /// Lets something go, or lets it wait for interval and cap: it has the turn of its most urgent
  /// member, and takes one slot, so that a digest drops no member for want of one.
  mutating func release(
    _ members: [Candidate], _ unit: Bundling.Unit, _ turn: inout Turn
  ) {
    var members = members
    if !unit.digests.isEmpty {
      for index in members.indices { members[index].input.capAction = .hold }
    }
    if members[0].input.isCounted, !members[0].isForward {
      var input = members[0].input
      input.recent = progress.recent
      guard Self.hasSlot(input, turn.now) else {
        for member in members { wait(member, for: nil, &turn) }
        return
      }
      input.kept = kept(from: input, &turn)
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

  /// What is known to come that day has its slot kept from what is less urgent, or younger than
  /// what waits already.
  private func kept(from input: GateInput, _ turn: inout Turn) -> KeptSlots? {
    guard turn.context.settings.hasSlots, mayKeep(from: input.urgency, turn) else { return nil }
    let date = turn.context.zone.date(at: turn.now)
    if turn.day?.date != date {
      turn.day = dayAhead(
        on: date, from: turn.now, held: turn.held, planned: turn.planned, in: turn.context)
    }
    return turn.day?.kept(from: input, at: turn.now)
  }

  /// Whether there is anything that comes before it at all, for most often there is not.
  private func mayKeep(from urgency: Urgency, _ turn: Turn) -> Bool {
    func isBefore(_ entry: Progress.UnderWay) -> Bool {
      guard entry.due > turn.now, let reminder = turn.context.catalog.reminder(entry.reminder)
      else { return false }
      let other = turn.context.urgency(of: reminder)
      return other > urgency || (other == urgency && entry.isWaiting)
    }
    return turn.planned.mayHave(above: urgency, in: turn.context)
      || progress.underWay.contains(where: isBefore) || turn.held.contains(where: isBefore)
  }

  /// Holds what finds no slot. It is dropped when it expires, or at once where its category says
  /// so.
  ///
  /// - Parameter kept: what keeps the slot from it; nil if there is none.
  private mutating func wait(
    _ candidate: Candidate, for kept: KeptSlots?, _ turn: inout Turn
  ) {
    var candidate = candidate
    candidate.input.recent = progress.recent
    candidate.input.kept = kept
    let findings = Gate.slots.map { Gates.finding($0, candidate.input, at: turn.now) }
    var decision = candidate.decision
    for (gate, finding) in zip(Gate.slots, findings) { decision.trace.note(gate, finding) }
    guard !findings.contains(.drops) else {
      decision.outcome = .dropped
      return conclude(candidate, decision, isWaiting: true, &turn)
    }
    keepWaiting(candidate, decision.trace, findings, for: kept, &turn)
  }

  /// It is asked again when the slots open, when what the slot is kept for has had its turn, or
  /// when it expires. Where there is no interval, the day has no slot for it any more.
  private func keepWaiting(
    _ candidate: Candidate, _ trace: GateTrace, _ findings: [Finding], for kept: KeptSlots?,
    _ turn: inout Turn
  ) {
    var firing = firing(candidate, &turn)
    firing.trace.add(trace)
    firing.waitsFor = kept?.beneficiary
    var until = turn.now
    for case .holds(let end) in findings { until = max(until, end) }
    if kept == nil {
      let ahead = Gates.decide(candidate.input, from: turn.now)
      if ahead.outcome == .delivered {
        firing.trace.add(ahead.trace)
        until = ahead.at
      }
    }
    firing.result = .held(until: until)
    let isAskedAfter = kept != nil && candidate.input.minimumInterval != nil
    let next = isAskedAfter ? kept.map { min(until, $0.beneficiary.at) } ?? until : until
    let due = min(next, candidate.input.expiry + .milliseconds(1))
    // Released later that day for another reason, it is one of those that are known to come.
    if kept == nil, turn.context.zone.date(at: due) == turn.day?.date { turn.day = nil }
    hold(candidate, firing, until: due, isWaiting: true, &turn)
  }
}

extension Candidate {
  fileprivate var isCollected: Bool { entry.channelGroup == .collected }
}

extension Bundling {
  fileprivate init(_ candidates: [Candidate], in context: PlanningContext) {
    let members = candidates.map { candidate in
      Member(
        channels: context.outgoing(
          candidate.reminder, key: candidate.entry.key, channelGroup: candidate.entry.channelGroup),
        isFromVacation: candidate.entry.holds.hasHeld(.vacation),
        isSnoozed: candidate.entry.isSnoozed,
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
