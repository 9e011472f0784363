import CivilTime

extension FleetNode {
  /// Handles the answer to the statement in flight.
  ///
  /// - Parameters:
  ///   - start: when the statement was sent.
  ///   - end: when the answer arrived.
  package mutating func answered(
    _ answer: FleetAnswer, from start: Moment, to end: Moment
  ) -> [FleetAction] {
    guard let incarnation else { return [] }
    let statement = inProgress
    inProgress = nil
    contact.recordContact(at: end.sinceBoot, times)
    let actions =
      switch answer {
      case .joined(let database): handleJoin(incarnation, database, from: start, to: end)
      case .heartbeat(true, let database): handleHeartbeat(database, from: start, to: end)
      case .heartbeat(false, _): rejoin(.fenced)
      case .view(let view): handleView(view, as: incarnation, at: end)
      case .evicted(let isDone): handleEviction(statement, isDone, at: end)
      case .claimed(let tenures): handleClaim(tenures)
      case .released(let isDone):
        isDone ? handleRelease(statement, at: end) : rejoin(.holdingsDiffer)
      case .resigned: finish()
      }
    return actions + advance(at: end)
  }

  private mutating func handleJoin(
    _ incarnation: Incarnation, _ database: Instant, from start: Moment, to end: Moment
  ) -> [FleetAction] {
    isMember = true
    nextHeartbeat = start.sinceBoot + times.heartbeat
    nextLook = end.sinceBoot
    chores = predecessors.map { .evict($0, .own, lease: times.lease) }
    return [.serve(incarnation), .note(.joined(incarnation))]
      + handleHeartbeat(database, from: start, to: end)
  }

  /// Extends the trust. The new trust begins when the heartbeat was sent, not when it was answered.
  private mutating func handleHeartbeat(
    _ database: Instant, from start: Moment, to end: Moment
  ) -> [FleetAction] {
    let trust = Trust(from: start, times)
    self.trust = trust
    skew.measure(database: database, from: start, to: end)
    if claimsNoShards != announced.claimsNoShards { nextHeartbeat = end.sinceBoot }
    var actions = [FleetAction.trust(trust)]
    if announced.distrust, trust.holds(at: end) {
      announced.distrust = false
      actions.append(.note(.trustsAgain))
    }
    if let lead = skew.lead, skew.degree != announced.skew {
      announced.skew = skew.degree
      actions.append(.note(.skewed(lead, skew.degree)))
    }
    return actions
  }

  private mutating func handleEviction(
    _ statement: FleetStatement?, _ isDone: Bool, at end: Moment
  ) -> [FleetAction] {
    guard case .evict(let other, let reason, _) = statement else { return [] }
    predecessors.removeAll { $0 == other }
    guard isDone else { return [] }
    nextLook = end.sinceBoot
    return [.note(.evicted(other, reason))]
  }

  private mutating func handleClaim(_ tenures: [Tenure]) -> [FleetAction] {
    guard !tenures.isEmpty else { return [] }
    holdings.add(tenures)
    return [.acquire(tenures), .note(.claimed(tenures.count))]
  }

  private mutating func handleRelease(
    _ statement: FleetStatement?, at end: Moment
  ) -> [FleetAction] {
    guard case .release(_, let tenure) = statement else { return [] }
    holdings.remove(tenure)
    nextLook = end.sinceBoot
    return [.note(.gaveAway(shard: tenure.shard))]
  }

  // MARK: - Views of the fleet

  private mutating func handleView(
    _ view: FleetView, as incarnation: Incarnation, at end: Moment
  ) -> [FleetAction] {
    self.view = view
    watch.observe(view.nodes, now: end.sinceBoot)
    guard view.shards(of: incarnation) == holdings.tenures else {
      return rejoin(.holdingsDiffer)
    }
    followDrainRequest(view.isDrainRequested(incarnation), at: end)
    let balancing = ShardBalancing(view: view, node: incarnation, isDraining: givesAllShardsAway)
    chores = chores(balancing, as: incarnation, at: end)
    return giveAway(balancing) + reportDrained()
  }

  /// Starts or stops draining as the operator has requested. A node reads the fleet before it
  /// claims shards, so a node that is to drain never claims any.
  private mutating func followDrainRequest(_ isDrainRequested: Bool, at now: Moment) {
    guard isDrainRequested != isDraining else { return }
    isDraining = isDrainRequested
    // The heartbeat reports the change to the other nodes.
    nextHeartbeat = now.sinceBoot
  }

  /// Whether this node gives all its shards to other nodes. A node with a wrong clock would fire
  /// occurrences at wrong times.
  private var givesAllShardsAway: Bool { isDraining || skew.degree == .severe }

  private func chores(
    _ balancing: ShardBalancing, as incarnation: Incarnation, at end: Moment
  ) -> [FleetStatement] {
    let eviction = Eviction(view: balancing.view, node: incarnation, times: times)
    var chores = predecessors.map { FleetStatement.evict($0, .own, lease: times.lease) }
    chores += eviction.candidates(contact, watch, at: end.sinceBoot).map {
      .evict($0.0, $0.1, lease: times.lease)
    }
    if mayClaim(at: end), let claim = balancing.claim(having: holdings.count) {
      chores.append(.claim(incarnation, claim.shards, limit: claim.limit))
    }
    return chores
  }

  private func mayClaim(at now: Moment) -> Bool {
    ending == .none && skew.allowsClaims && (trust?.holds(at: now) ?? false)
  }

  private mutating func giveAway(_ balancing: ShardBalancing) -> [FleetAction] {
    guard ending == .none, !holdings.isGivingAway, let tenure = balancing.surplus(of: holdings.held)
    else { return [] }
    holdings.beginRelease(tenure)
    return [.release(tenure)]
  }

  private mutating func reportDrained() -> [FleetAction] {
    let isDrained = isDraining && holdings.count == 0
    defer { announced.drained = isDrained }
    return isDrained && !announced.drained ? [.note(.drained)] : []
  }
}
