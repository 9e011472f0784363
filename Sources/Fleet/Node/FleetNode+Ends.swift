import CivilTime

extension FleetNode {
  // MARK: - Starting

  /// Connects for the first time.
  package mutating func begin() -> [FleetAction] { [.connect(after: .zero)] }

  /// Joins the fleet over a new connection, whose session holds the lock of a new incarnation.
  package mutating func connected(as incarnation: Incarnation) -> [FleetAction] {
    guard ending == .none else { return finish() }
    self.incarnation = incarnation
    let join = FleetStatement.join(incarnation, name: name, address: address)
    inProgress = join
    return [.send(join)]
  }

  /// Connects again later, because connecting failed.
  package mutating func unreachable() -> [FleetAction] {
    ending == .none ? [.connect(after: times.retry)] : finish()
  }

  // MARK: - Failures

  /// Handles a statement that the server rolled back, for example because of a lock timeout. The
  /// next reading of the fleet finds what remains to be done. A refused join is repeated as a new
  /// incarnation, without a report to operators: the caller has the server's reason.
  package mutating func refused(at now: Moment) -> [FleetAction] {
    guard isMember else { return rejoin(nil) }
    // The next reading waits, so that the holder of the lock can finish.
    nextLook = max(nextLook, now.sinceBoot + times.retry)
    if case .heartbeat = inProgress { nextHeartbeat = now.sinceBoot + times.retry }
    if case .release = inProgress { nextRelease = now.sinceBoot + times.retry }
    inProgress = nil
    return advance(at: now)
  }

  /// Restarts after the connection of the membership has ended. The current statement may or may
  /// not have been committed.
  package mutating func lost(_ reason: RejoinReason = .connectionLost) -> [FleetAction] {
    rejoin(reason)
  }

  /// Restarts because the engine failed.
  package mutating func engineFailed() -> [FleetAction] { rejoin(.engineFailed) }

  /// Restarts as a new incarnation. The state in memory is invalid; the new incarnation cleans up
  /// the rows and locks of the old one.
  ///
  /// - Parameter reason: the reason to report; nil if the shell reports it.
  mutating func rejoin(_ reason: RejoinReason?) -> [FleetAction] {
    guard let incarnation else { return [] }
    predecessors.append(incarnation)
    (self.incarnation, isMember, inProgress, trust) = (nil, false, nil, nil)
    (contact, watch, holdings, chores) = (Contact(), HeartbeatWatch(), Holdings(), [])
    (view, announced.distrust, announced.drained) = (nil, false, false)
    announced.claimsNoShards = false
    let actions = [.discard] + (reason.map { [FleetAction.note(.rejoins($0))] } ?? [])
    return actions + (ending == .none ? [.connect(after: times.retry)] : finish())
  }

  // MARK: - The engine

  /// Continues after the engine has released a shard: none of the shard's occurrences is due, in
  /// flight or in memory.
  package mutating func engineReleased(_ tenure: Tenure, at now: Moment) -> [FleetAction] {
    holdings.recordRelease(tenure)
    return advance(at: now)
  }

  // MARK: - The operator

  /// Begins to stop the service.
  package mutating func stop() -> [FleetAction] {
    guard ending == .none else { return [] }
    guard isMember else { return finish() }
    ending = .engine
    return [.end]
  }

  /// Continues stopping after the engine has finished its current work.
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
