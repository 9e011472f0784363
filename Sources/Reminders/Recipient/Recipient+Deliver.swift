import CivilTime

extension Recipient {
  /// Delivers one occurrence: records that it is finished, and adds its firing.
  ///
  /// - Parameter channels: the channels of the firing; nil for those that reach the recipient.
  mutating func deliver(
    _ candidate: Candidate, on channels: ChannelSet? = nil, _ decisions: inout Decisions
  ) {
    var firing = firing(candidate, &decisions)
    firing.trace.add(candidate.decision.trace)
    firing.isSilent = candidate.decision.isSilent
    if let channels { firing.channels = channels }
    recordFinished(firing, of: candidate, in: decisions.context)
    if candidate.isEarly {
      recordCancelled(
        Progress.Cancelled(
          reminder: candidate.entry.reminder, key: candidate.entry.key,
          planned: candidate.entry.planned, cause: .sent), decisions.context.catalog)
    }
    observe(candidate, firing, decisions)
    decisions.firings.append(firing)
  }

  /// Passes a candidate's firing to the observer. The input then has all counted deliveries,
  /// including others of this instant.
  private func observe(_ candidate: Candidate, _ firing: Firing, _ decisions: borrowing Decisions) {
    guard let observer = decisions.observer else { return }
    var input = candidate.input
    progress.setCountedDeliveries(of: &input)
    observer(input, firing)
  }

  /// Returns the firing of a candidate, with a preliminary result.
  func firing(_ candidate: Candidate, _ decisions: inout Decisions) -> Firing {
    let (entry, reminder, context) = (candidate.entry, candidate.reminder, decisions.context)
    var subject = context.subject(of: reminder, key: entry.key)
    let batch = batch(of: reminder, planned: entry.unsnoozedInstant, subject.details)
    subject.details = subject.details?.counting(batch, by: reminder.batch)
    var firing = Firing(
      reminder: reminder.symbol, key: entry.key, round: entry.round,
      channelGroup: entry.channelGroup, planned: entry.planned,
      at: decisions.now, expiry: context.expiry(of: entry, reminder),
      result: .finished(.delivered), trace: entry.holds,
      channels: context.outgoingChannels(
        reminder, key: entry.key, channelGroup: entry.channelGroup, at: decisions.now),
      hints: context.hints(of: reminder),
      message: entry.message ?? messageIndex(for: reminder, key: entry.key, in: context),
      subject: subject, isFirstEvaluation: entry.holds == GateTrace())
    let reach = context.reach(of: reminder, key: entry.key)
    firing.hasOtherGroups = !reach.isSubset(of: entry.channelGroup.channels)
    if let opener = batch?.opener, opener != entry.key { firing.opener = opener }
    if case .items(let trigger) = reminder.trigger {
      firing.replaced = context.catalog.remindersReplaced(by: trigger.event)
    }
    return firing
  }

  // MARK: - Digests

  /// Delivers a unit, which contains the notifications that are sent together. They are sent as a
  /// digest on each channel for which the unit has one, and individually on the other channels.
  mutating func deliver(
    _ members: [Candidate], as unit: Bundling.Unit, _ decisions: inout Decisions
  ) {
    var digests = unit.digests.map {
      Firing(digestOn: $0.channels, now: decisions.now, decisions.context)
    }
    for (index, candidate) in zip(unit.members, members) {
      let joined = unit.digests.indices.filter { unit.digests[$0].members.contains(index) }
      var firing = firing(candidate, &decisions)
      firing.trace.add(candidate.decision.trace)
      firing.trace.note(.bundling, .passes)
      firing.isSilent = candidate.decision.isSilent
      for index in joined { digests[index].add(firing) }
      let rest = firing.channels.subtracting(
        joined.reduce(into: []) { $0.formUnion(unit.digests[$1].channels) })
      if rest.isEmpty { firing.result = .finished(.bundled) } else { firing.channels = rest }
      recordFinished(firing, of: candidate, in: decisions.context)
      observe(candidate, firing, decisions)
      decisions.firings.append(firing)
    }
    decisions.firings += digests
  }
}

extension Firing {
  /// Creates a digest without members.
  fileprivate init(digestOn channels: ChannelSet, now: Instant, _ context: PlanningContext) {
    self.init(
      reminder: Digest.symbol, key: Digest.key(at: now, channels), channelGroup: .interrupting,
      planned: now, at: now, expiry: Instant(milliseconds: .min), result: .finished(.delivered),
      trace: GateTrace(), channels: channels, isSilent: true, hints: context.settings.hints,
      message: 0, isFirstEvaluation: false)
  }

  /// Adds a member. The digest makes a sound if any member makes one.
  fileprivate mutating func add(_ member: Firing) {
    planned = min(planned, member.planned)
    expiry = max(expiry, member.expiry)
    trace.add(member.trace)
    isSilent = isSilent && member.isSilent
    hints = members.isEmpty ? member.hints : hints.joined(with: member.hints)
    members.append(
      Member(
        reminder: member.reminder, key: member.key, channelGroup: member.channelGroup,
        message: member.message,
        subject: member.subject))
  }
}

extension PlanningContext {
  /// Returns the channels of one group on which an occurrence is sent at an instant, or would be
  /// sent if it could reach the recipient. A message to other people has no channels.
  func outgoingChannels(
    _ reminder: Reminder, key: Int64, channelGroup: ChannelGroup, at now: Instant
  ) -> ChannelSet {
    if reminder.relay != nil { return [] }
    if let absence = pushAbsence(of: reminder, key: key, channelGroup: channelGroup),
      now >= absence.start
    {
      return open(absence.channels, of: reminder, key: key, channelGroup, at: now)
    }
    let reach = reach(of: reminder, key: key).intersection(channelGroup.channels)
    guard reach.isEmpty else {
      return open(reach, of: reminder, key: key, channelGroup, at: now)
    }
    let wanted = channels(of: reminder, key: key).intersection(channelGroup.channels)
    return wanted.isEmpty ? declared(reminder, key: key) : wanted
  }

  /// Returns the channels to record for an occurrence if the recipient has switched off all its
  /// channels. These are the requested channels, or the default channels of the category.
  private func declared(_ reminder: Reminder, key: Int64) -> ChannelSet {
    if let request = facts.request(key), !request.channels.isEmpty { return request.channels }
    let channels = catalog.categories[reminder.category].channels.filter {
      !$0.isOnlyFallback && catalog.settings.initialValues[$0.setting] != 0
    }
    return channels.reduce(into: []) { $0.insert(ChannelSet($1.channel)) }
  }
}
