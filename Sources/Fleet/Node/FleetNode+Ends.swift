import CivilTime

extension FleetNode {
  // MARK: - Beginning

  /// The process begins.
  package mutating func begin() -> [FleetAction] { [.connect(after: .zero)] }

  /// A connection has come about, whose session has the lock of a new incarnation.
  package mutating func connected(as incarnation: Incarnation) -> [FleetAction] {
    guard ending == .none else { return finish() }
    self.incarnation = incarnation
    let join = FleetStatement.join(incarnation, name: name, address: address)
    underWay = join
    return [.send(join)]
  }

  /// None has.
  package mutating func unreachable() -> [FleetAction] {
    ending == .none ? [.connect(after: times.retry)] : finish()
  }

  // MARK: - What goes wrong

  /// The server has undone the statement that is under way, for a lock that it waited for or the
  /// like. The next look finds what is still to be done.
  package mutating func refused(at now: Moment) -> [FleetAction] {
    guard isMember else { return startAnew(.connectionLost) }
    // Not at once: whoever holds the lock has to have its time.
    nextLook = max(nextLook, now.sinceBoot + times.retry)
    if case .heartbeat = underWay { nextHeartbeat = now.sinceBoot + times.retry }
    if case .release = underWay { nextRelease = now.sinceBoot + times.retry }
    underWay = nil
    return advance(at: now)
  }

  /// The connection of the membership has ended. What was under way may be done or not.
  package mutating func lost(_ reason: NewStartReason = .connectionLost) -> [FleetAction] {
    startAnew(reason)
  }

  /// The engine cannot go on.
  package mutating func engineFailed() -> [FleetAction] { startAnew(.engineFailed) }

  /// Nothing that this incarnation has in memory holds any more. Its rows and locks are the next
  /// one's to clear away.
  mutating func startAnew(_ reason: NewStartReason) -> [FleetAction] {
    guard let incarnation else { return [] }
    predecessors.append(incarnation)
    (self.incarnation, isMember, underWay, trust) = (nil, false, nil, nil)
    (contact, watch, holdings, chores) = (Contact(), HeartbeatWatch(), Holdings(), [])
    (view, announced.distrust, announced.drained) = (nil, false, false)
    announced.full = false
    let note = FleetAction.note(.startsAnew(reason))
    guard ending == .none else { return [.discard, note] + finish() }
    return [.discard, note, .connect(after: times.retry)]
  }

  // MARK: - The engine

  /// The engine has let go of a shard: nothing of it is due, with a sink, or in memory.
  package mutating func engineReleased(_ tenure: Tenure, at now: Moment) -> [FleetAction] {
    holdings.engineLeft(tenure)
    return advance(at: now)
  }

  // MARK: - The operator

  /// The service is to end.
  package mutating func stop() -> [FleetAction] {
    guard ending == .none else { return [] }
    guard isMember else { return finish() }
    ending = .engine
    return [.end]
  }

  /// The engine has finished what was under way.
  package mutating func engineEnded(at now: Moment) -> [FleetAction] {
    guard ending == .engine else { return [] }
    ending = .node
    nextLook = now.sinceBoot
    return advance(at: now)
  }

  mutating func finish() -> [FleetAction] {
    guard ending != .finished else { return [] }
    ending = .finished
    return [.finish]
  }
}
