import CivilTime

/// An occurrence whose turn has come, with what its place in the queue depends on.
struct Candidate {
  var entry: Progress.UnderWay
  var reminder: Reminder
  var urgency: Urgency
  /// What an app has requested, if it is that.
  var request: RequestedNotification?

  /// Whether a gate has held it, or its e-mail is collected.
  var hasWaited: Bool { entry.holds.hasHolds || entry.track == .collected }

  /// At the cap, slots go by urgency, then age (rule V5).
  static func isBefore(_ left: Candidate, _ right: Candidate) -> Bool {
    if left.urgency != right.urgency { return left.urgency > right.urgency }
    if left.entry.planned != right.entry.planned {
      return left.entry.planned < right.entry.planned
    }
    // Requests are of one reminder for each category, all with the same name.
    if let one = left.request, let other = right.request {
      return RequestedNotification.isEarlier(one, other)
    }
    if left.reminder !== right.reminder {
      return left.reminder.identifier < right.reminder.identifier
    }
    return left.entry.key < right.entry.key
  }
}

extension Recipient {
  /// Applies the gates to everything that is due, one after the other: each delivery counts for
  /// those behind it.
  ///
  /// - Returns: those whose turn it was.
  @discardableResult
  mutating func decideDue(
    now: Instant, in situation: Situation, firings: inout [Firing], _ witness: Witness?
  ) -> [Candidate] {
    let due = takeDue(now: now, in: situation)
    var candidates = due
    if candidates.count > 1 {
      candidates.sort(by: Candidate.isBefore)
      bundle(&candidates, now: now, in: situation, firings: &firings, witness)
    }
    var held: [Progress.UnderWay] = []
    keepMessages(of: firings, for: &candidates, &held, in: situation)
    for index in candidates.indices {
      let count = firings.count
      decide(
        candidates[index], now: now, in: situation, firings: &firings, held: &held, witness)
      keepMessages(of: firings[count...], for: &candidates, &held, in: situation)
    }
    progress.enqueue(held)
    return due
  }

  /// What an occurrence has said on one way out, it says on the others (rule I6).
  private mutating func keepMessages(
    of firings: some Sequence<Firing>, for candidates: inout [Candidate],
    _ held: inout [Progress.UnderWay], in situation: Situation
  ) {
    for firing in firings where firing.isPaired && firing.isSaid {
      guard let reminder = situation.catalog.reminder(firing.reminder),
        reminder.messages.count > 1
      else { continue }
      for index in candidates.indices { candidates[index].entry.keepMessage(of: firing) }
      for index in held.indices { held[index].keepMessage(of: firing) }
      progress.keepMessage(of: firing)
    }
  }

  /// Forgets the requests of which no way out is open any more. Only when all are decided: while
  /// one way out is, the others are in nobody's hands.
  mutating func forgetSettled(_ candidates: [Candidate]) {
    var reminders: [Int64: Symbol] = [:]
    for candidate in candidates where candidate.request != nil {
      reminders[candidate.entry.key] = candidate.entry.reminder
    }
    guard !reminders.isEmpty else { return }
    Work.count(progress.underWay.count)
    for entry in progress.underWay where reminders[entry.key] == entry.reminder {
      reminders[entry.key] = nil
    }
    facts.forget(requests: Set(reminders.keys))
  }

  private mutating func takeDue(now: Instant, in situation: Situation) -> [Candidate] {
    progress.takeDue(by: now).compactMap { entry in
      guard let reminder = situation.catalog.reminder(entry.reminder) else { return nil }
      let category = situation.catalog.categories[reminder.category]
      let urgency = reminder.urgency ?? category.urgency
      var candidate = Candidate(entry: entry, reminder: reminder, urgency: urgency)
      if case .request = reminder.trigger {
        candidate.request = situation.facts.request(entry.key)
      }
      return candidate
    }
  }

  private mutating func decide(
    _ candidate: Candidate, now: Instant, in situation: Situation, firings: inout [Firing],
    held: inout [Progress.UnderWay], _ witness: Witness?
  ) {
    let input = input(candidate, in: situation)
    let decision = Gates.decide(input, from: now)
    var firing = firing(candidate, now: now, in: situation)
    firing.trace.add(decision.trace)
    firing.isSilent = decision.isSilent
    if decision.outcome == .delivered, decision.at > now {
      firing.result = .held(until: decision.at)
      var entry = candidate.entry
      entry.due = decision.at
      entry.holds = firing.trace
      held.append(entry)
    } else {
      firing.result = .settled(decision.outcome)
      settle(firing, of: candidate, in: situation)
      if decision.outcome == .delivered, input.isCounted { progress.count(delivery: now) }
    }
    witness?(input, firing)
    firings.append(firing)
  }

  private func input(_ candidate: Candidate, in situation: Situation) -> GateInput {
    situation.gateInput(
      candidate.reminder, key: candidate.entry.key, planned: candidate.entry.planned,
      track: candidate.entry.track, recent: progress.recent)
  }

  /// What will be said of a candidate; the result is still to be filled in.
  private func firing(
    _ candidate: Candidate, now: Instant, in situation: Situation
  ) -> Firing {
    let (entry, reminder) = (candidate.entry, candidate.reminder)
    let subject = situation.subject(of: reminder, key: entry.key)
    let batch = batch(of: reminder, planned: entry.planned, subject.details)
    var firing = Firing(
      reminder: reminder.symbol, key: entry.key, track: entry.track, planned: entry.planned,
      at: now, expiry: situation.expiry(of: entry, reminder),
      result: .settled(.delivered), trace: entry.holds,
      channels: situation.outgoing(reminder, key: entry.key, track: entry.track),
      hints: situation.settings.hints,
      message: entry.message ?? message(for: reminder, key: entry.key, in: situation),
      number: subject.number, details: subject.details?.counting(batch, by: reminder.batch),
      isFirst: entry.holds == GateTrace())
    let reach = situation.reach(of: reminder, key: entry.key)
    firing.isPaired = !reach.isSubset(of: entry.track.channels)
    if let opener = batch?.opener, opener != entry.key { firing.opener = opener }
    if case .items(let trigger) = reminder.trigger {
      firing.replaced = situation.catalog.replaced(by: trigger.event)
    }
    return firing
  }

  // MARK: - Digests

  /// Takes out of the candidates what goes out as digests: what gates have held, as much of it as
  /// the recipient's threshold, on the same channels (rule V6); of what a vacation has held (rule
  /// V4), and of e-mail that was collected, two are enough.
  private mutating func bundle(
    _ candidates: inout [Candidate], now: Instant, in situation: Situation,
    firings: inout [Firing], _ witness: Witness?
  ) {
    let threshold = Int(clamping: situation.settings[.bundlingThreshold])
    guard candidates.count(where: \.hasWaited) > 1 else { return }
    var groups: [ChannelSet: [Int]] = [:]
    for index in candidates.indices
    where isReleased(candidates[index], now: now, in: situation) {
      let (entry, reminder) = (candidates[index].entry, candidates[index].reminder)
      let channels = situation.outgoing(reminder, key: entry.key, track: entry.track)
      groups[channels, default: []].append(index)
    }
    var taken: Set<Int> = []
    for (channels, indices) in groups.sorted(by: { $0.value[0] < $1.value[0] }) {
      let members = indices.map { candidates[$0] }
      guard members.count >= Self.least(of: members, threshold) else { continue }
      guard hasSlot(members[0], now: now, in: situation) else { continue }
      deliver(members, on: channels, now: now, in: situation, firings: &firings, witness)
      taken.formUnion(indices)
    }
    candidates = candidates.indices.filter { !taken.contains($0) }.map { candidates[$0] }
  }

  /// Of how many a digest is made at least.
  private static func least(of members: [Candidate], _ threshold: Int) -> Int {
    if members.contains(where: { $0.entry.track == .collected }) { return 2 }
    guard threshold > 0 else { return .max }
    return members.contains { $0.entry.holds.hasHeld(.vacation) } ? 2 : max(2, threshold)
  }

  /// Whether a candidate was held and would go now, were it not for interval and cap.
  private func isReleased(
    _ candidate: Candidate, now: Instant, in situation: Situation
  ) -> Bool {
    guard candidate.entry.track.isInterrupting, candidate.urgency < .critical,
      candidate.hasWaited
    else { return false }
    var input = input(candidate, in: situation)
    input.minimumInterval = nil
    input.capPerDay = nil
    let decision = Gates.decide(input, from: now)
    return decision.outcome == .delivered && decision.at == now
  }

  /// Whether interval and cap let one more delivery out.
  private func hasSlot(_ candidate: Candidate, now: Instant, in situation: Situation) -> Bool {
    let input = input(candidate, in: situation)
    return [Gate.minimumInterval, .dailyCap].allSatisfy {
      Gates.finding($0, input, at: now) == .passes
    }
  }

  private mutating func deliver(
    _ candidates: [Candidate], on channels: ChannelSet, now: Instant, in situation: Situation,
    firings: inout [Firing], _ witness: Witness?
  ) {
    var digest = Firing(
      reminder: Digest.symbol, key: Digest.key(at: now, channels), track: .interrupting,
      planned: now, at: now, expiry: now, result: .settled(.delivered), trace: GateTrace(),
      channels: channels, hints: situation.settings.hints, message: 0,
      number: Int64(candidates.count), isFirst: false)
    for candidate in candidates {
      var firing = firing(candidate, now: now, in: situation)
      let input = input(candidate, in: situation)
      firing.trace.add(Gates.decide(input, from: now).trace)
      firing.trace.note(.bundling, .passes)
      firing.result = .settled(.bundled)
      settle(firing, of: candidate, in: situation)
      witness?(input, firing)
      firings.append(firing)
      digest.planned = min(digest.planned, firing.planned)
      digest.expiry = max(digest.expiry, firing.expiry)
      digest.trace.add(firing.trace)
      digest.members.append(
        Firing.Member(
          reminder: firing.reminder, key: firing.key, message: firing.message,
          number: firing.number, details: firing.details))
    }
    progress.count(delivery: now)
    firings.append(digest)
  }
}

extension Situation {
  /// The channels of one way out on which an occurrence goes out, or would if anything could reach
  /// the person.
  func outgoing(_ reminder: Reminder, key: Int64, track: Track) -> ChannelSet {
    let reach = reach(of: reminder, key: key).intersection(track.channels)
    guard reach.isEmpty else { return reach }
    let wanted = channels(of: reminder, key: key).intersection(track.channels)
    return wanted.isEmpty ? declared(reminder, key: key) : wanted
  }

  /// The channels that were asked for, or that the category has at first, now switched off.
  private func declared(_ reminder: Reminder, key: Int64) -> ChannelSet {
    if let content = facts.request(key)?.content, !content.channels.isEmpty {
      return content.channels
    }
    let channels = catalog.categories[reminder.category].channels.filter {
      !$0.isFallback && catalog.settings.initialValues[$0.setting] != 0
    }
    return channels.reduce(into: []) { $0.insert(ChannelSet($1.channel)) }
  }
}
