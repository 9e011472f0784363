package import CivilTime

/// The state machine of a node in its fleet. Its inputs are the observations of the process, each
/// with its time; its outputs are actions for the process. The state machine has no clock,
/// connection or engine.
///
/// Each input is a method that returns actions, to be done in order. One statement is in flight at
/// a time; its outcome is reported by ``answered(_:from:to:)``, ``refused(at:)`` or ``lost(_:)``.
/// If no other input comes earlier, the process calls ``tick(at:)`` at ``wake``.
///
/// Any doubt about what is committed ends the incarnation, the node's presence since it joined.
/// Then the engine is discarded, and the process joins again under another number.
package struct FleetNode: Sendable {
  /// The node's name, for operators.
  package let name: String
  /// The address for requests from other nodes; empty if there is none.
  package let address: String
  package let times: FleetTimes

  /// The number under which the node has joined, or is about to join; otherwise nil.
  package internal(set) var incarnation: Incarnation?
  /// The difference between this node's clock and the server's.
  package internal(set) var skew = Skew()
  /// Whether this node gives its shards away, as an operator has requested.
  package internal(set) var isDraining = false
  /// The fleet as last read; nil until the node has read it.
  package internal(set) var view: FleetView?
  /// How long the node may act as the owner of its shards without a confirmation; nil until the
  /// node has joined.
  package internal(set) var trust: Trust?

  /// Whether the node has joined the fleet.
  var isMember = false
  /// How long this node has had uninterrupted contact with the server.
  var contact = Contact()
  /// How long the heartbeats of other nodes have been unchanged.
  var watch = HeartbeatWatch()
  /// The shards that this node owns.
  var holdings = Holdings()
  /// The statement that is in flight.
  var inProgress: FleetStatement?
  /// The statements to send as a consequence of the last view of the fleet, in order.
  var chores: [FleetStatement] = []
  /// When to send the next heartbeat, and when to read the fleet next, as times since boot.
  var nextHeartbeat = TimeSpan.zero
  var nextLook = TimeSpan.zero
  /// The time since boot before which a refused release is not tried again.
  var nextRelease = TimeSpan.zero
  /// Earlier incarnations of this process that are not evicted yet.
  var predecessors: [Incarnation] = []
  var ending = Ending.none
  /// The states that were last reported to operators or to other nodes.
  var announced = Announced()

  /// The progress of the node's orderly end.
  enum Ending: Hashable, Sendable {
    case none
    /// The engine finishes its deliveries in flight.
    case engine
    /// The node has to resign.
    case node
    case finished
  }

  struct Announced: Hashable, Sendable {
    /// Whether it was reported to operators that the trust has ended.
    var distrust = false
    /// Whether the last heartbeat reported that this node claims no shards.
    var claimsNoShards = false
    /// The degree of skew that was last reported to operators.
    var skew = Skew.Degree.none
    /// Whether it was reported to operators that this node has no shards left.
    var drained = false
  }

  package init(name: String, address: String = "", _ times: FleetTimes) {
    (self.name, self.address, self.times) = (name, address, times)
  }

  /// The shards that the store records as this node's.
  package var tenures: Set<Tenure> { holdings.tenures }

  /// Whether this node claims no shards. Heartbeats report that, so that the other nodes divide all
  /// shards among themselves. Otherwise a node with a wrong clock would leave its share without an
  /// owner.
  var claimsNoShards: Bool { isDraining || !skew.allowsClaims }

  /// The last reading of the server's clock; nil if no other node confirms that clock. Without such
  /// a witness it is unknown whether the server's clock or this node's is wrong.
  package var serverReading: (server: Instant, sinceBoot: TimeSpan)? {
    let hasWitness =
      view?.nodes.contains { other in
        other.incarnation != incarnation && !other.isFenced && !other.isDraining
          && other.isConnected
      } ?? false
    return hasWitness ? skew.reading : nil
  }

  // MARK: - Time

  /// When to call `tick`, as a time since boot, unless another input comes earlier. It is nil while
  /// only another input can change the state.
  package var wake: TimeSpan? {
    guard isMember, inProgress == nil else { return announced.distrust ? nil : trust?.end }
    var next = min(nextHeartbeat, nextLook)
    if holdings.releasedTenure != nil { next = min(next, nextRelease) }
    return announced.distrust ? next : min(next, trust?.end ?? next)
  }

  package mutating func tick(at now: Moment) -> [FleetAction] { advance(at: now) }

  /// Reads the fleet as soon as possible, because another node hints that the fleet may have
  /// changed. If this hint is lost, the next regular read finds the change.
  package mutating func hint(at now: Moment) -> [FleetAction] {
    nextLook = now.sinceBoot
    return advance(at: now)
  }

  /// Sends the next statement if none is in flight.
  mutating func advance(at now: Moment) -> [FleetAction] {
    var actions = reportTrust(at: now)
    guard isMember, inProgress == nil, let statement = nextStatement(at: now.sinceBoot) else {
      return actions
    }
    inProgress = statement
    actions.append(.send(statement))
    return actions
  }

  /// Returns the next statement that is due, and schedules the one after it. Heartbeats come first,
  /// because a node whose heartbeats are late loses its shards.
  private mutating func nextStatement(at now: TimeSpan) -> FleetStatement? {
    guard let incarnation, ending != .finished else { return nil }
    if ending == .node { return now >= nextLook ? .resign(incarnation) : nil }
    if now >= nextHeartbeat {
      nextHeartbeat = now + times.heartbeat
      announced.claimsNoShards = claimsNoShards
      return .heartbeat(incarnation, isDraining: claimsNoShards, skew: skew.lead)
    }
    if let tenure = holdings.releasedTenure, now >= nextRelease {
      return .release(incarnation, tenure)
    }
    while !chores.isEmpty {
      let chore = chores.removeFirst()
      if isStillDue(chore, at: now) { return chore }
    }
    guard now >= nextLook else { return nil }
    nextLook = now + times.look
    return .look
  }

  /// Returns whether a chore is still justified. An eviction of another process's node needs
  /// contact with the server for the length of a lease.
  private func isStillDue(_ chore: FleetStatement, at now: TimeSpan) -> Bool {
    guard case .evict(_, let reason, _) = chore, reason != .own else { return true }
    return contact.hasLasted(times.lease, at: now, times)
  }

  private mutating func reportTrust(at now: Moment) -> [FleetAction] {
    guard let trust, !announced.distrust, !trust.holds(at: now) else { return [] }
    announced.distrust = true
    return [.note(.distrusts)]
  }
}
