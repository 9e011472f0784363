package import CivilTime

/// The life of a node in its fleet, decided: what its shell has seen comes in with the time of it,
/// and what the shell is to do goes out. It knows no clock, connection or engine.
///
/// Each input is a method that returns actions, to be done in order. One statement is under way at
/// a time; its outcome is told by ``answered(_:from:to:)``, ``refused(at:)`` or ``lost(at:)``. When
/// none of them comes, ``tick(at:)`` at ``wake``.
///
/// Whatever leaves in doubt what is committed ends the incarnation: the engine is discarded, and
/// the process joins anew under another number.
package struct FleetNode: Sendable {
  /// For people.
  package let name: String
  /// Where other nodes reach it; empty if they do not.
  package let address: String
  package let times: FleetTimes

  /// The number under which the node has joined, or is about to.
  package internal(set) var incarnation: Incarnation?
  package internal(set) var skew = Skew()
  package internal(set) var isDraining = false
  /// What was seen last.
  package internal(set) var view: FleetView?
  /// Nil before it has joined.
  package internal(set) var trust: Trust?

  var isMember = false
  var contact = Contact()
  var watch = HeartbeatWatch()
  var holdings = Holdings()
  /// What waits for an answer.
  var underWay: FleetStatement?
  /// What the last look has found to be done, in order.
  var chores: [FleetStatement] = []
  /// Since boot.
  var nextHeartbeat = TimeSpan.zero
  var nextLook = TimeSpan.zero
  /// Not before then is a release tried that was refused.
  var nextRelease = TimeSpan.zero
  /// What this process was before, and nobody has deposed yet.
  var predecessors: [Incarnation] = []
  var ending = Ending.none
  /// What operators were told last.
  var announced = Announced()

  /// How far the node's orderly end has come.
  enum Ending: Hashable, Sendable {
    case none
    /// The engine finishes what is under way.
    case engine
    /// The node is to resign.
    case node
    case finished
  }

  struct Announced: Hashable, Sendable {
    var distrust = false
    /// The other nodes, by the last heartbeat: that it takes no more.
    var full = false
    var skew = Skew.Degree.none
    var drained = false
  }

  package init(name: String, address: String = "", _ times: FleetTimes) {
    (self.name, self.address, self.times) = (name, address, times)
  }

  /// The shards that the store says are this node's.
  package var tenures: Set<Tenure> { holdings.tenures }

  /// Whether the others are to count on one less: what waited for a node whose clock is wrong
  /// would be nobody's for as long as that is so.
  var takesNoMore: Bool { isDraining || !skew.allowsClaims }

  /// What the server's clock said last; nil where no other node finds its own clock to agree with
  /// it. Then nobody knows which of the two is wrong.
  package var serverReading: (server: Instant, sinceBoot: TimeSpan)? {
    let hasWitness =
      view?.nodes.contains { other in
        other.incarnation != incarnation && !other.isFenced && !other.isDraining
          && other.isConnected
      } ?? false
    return hasWitness ? skew.reading : nil
  }

  // MARK: - Its time

  /// When to be ticked, since boot, unless something else comes before; nil while it waits for an
  /// answer or for a connection.
  package var wake: TimeSpan? {
    guard isMember, underWay == nil else { return announced.distrust ? nil : trust?.end }
    var next = min(nextHeartbeat, nextLook)
    if holdings.left != nil { next = min(next, nextRelease) }
    return announced.distrust ? next : min(next, trust?.end ?? next)
  }

  package mutating func tick(at now: Moment) -> [FleetAction] { advance(at: now) }

  /// Somebody has said that the fleet has changed; where that is lost, the next look finds it.
  package mutating func hint(at now: Moment) -> [FleetAction] {
    nextLook = now.sinceBoot
    return advance(at: now)
  }

  /// Sends the next statement if none is under way.
  mutating func advance(at now: Moment) -> [FleetAction] {
    var actions = tellTrust(at: now)
    guard isMember, underWay == nil, let statement = next(at: now.sinceBoot) else { return actions }
    underWay = statement
    actions.append(.send(statement))
    return actions
  }

  /// Heartbeats go before all else: everything waits for them in vain once they are late.
  private mutating func next(at now: TimeSpan) -> FleetStatement? {
    guard let incarnation, ending != .finished else { return nil }
    if ending == .node { return now >= nextLook ? .resign(incarnation) : nil }
    if now >= nextHeartbeat {
      nextHeartbeat = now + times.heartbeat
      announced.full = takesNoMore
      return .heartbeat(incarnation, isDraining: takesNoMore)
    }
    if let left = holdings.left, now >= nextRelease { return .release(incarnation, left) }
    while !chores.isEmpty {
      let chore = chores.removeFirst()
      if isStillDue(chore, at: now) { return chore }
    }
    guard now >= nextLook else { return nil }
    nextLook = now + times.look
    return .look
  }

  /// A chore may have waited.
  private func isStillDue(_ chore: FleetStatement, at now: TimeSpan) -> Bool {
    guard case .depose(_, let reason, _) = chore, reason != .own else { return true }
    return contact.hasLasted(times.lease, at: now, times)
  }

  private mutating func tellTrust(at now: Moment) -> [FleetAction] {
    guard let trust, !announced.distrust, !trust.holds(at: now) else { return [] }
    announced.distrust = true
    return [.note(.distrusts)]
  }
}
