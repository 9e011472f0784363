import CivilTime
import Fleet

/// Observes a simulated fleet, and reports violations of these invariants by their numbers.
///
/// 1. A shard has one owner, and its epoch only grows.
/// 2. Only the unfenced owner of a shard writes its rows.
/// 3. Memory equals the committed rows, or the engine is discarded.
/// 4. An occurrence has one outcome.
/// 5. Ids ascend for each recipient.
/// 6. No engine cycle and no delivery begins after trust has ended.
/// 7. A node evicts another node only after a lease of unbroken contact with the server, and never
///    evicts a healthy node.
/// 8. Acknowledged events are stored.
final class FleetJudge {
  private let world: FleetWorld
  private(set) weak var server: ModelServer?
  private(set) var processes: [ModelProcess] = []
  /// All tenures of shards so far.
  private var tenures: Set<Tenure> = []
  private var repeats = RepeatCount()
  /// The time since which a process's clock has differed too much from the server's clock, by the
  /// number of the process.
  private var wrongClocks: [Int: TimeSpan] = [:]

  init(_ world: FleetWorld) {
    self.world = world
  }

  /// Sets the server and the processes to observe.
  func watch(_ server: ModelServer, _ processes: [ModelProcess]) {
    (self.server, self.processes) = (server, processes)
  }

  /// Releases the processes, which retain this object.
  func end() { processes = [] }

  /// The id under which each occurrence was delivered.
  var deliveredIDs: [Int: Int64] { repeats.deliveredIDs }

  /// Returns the time by which a node's clock is ahead of the right time; negative if it is behind.
  func lead(of node: Incarnation) -> TimeSpan { process(of: node)?.clock.lead ?? .zero }

  private func process(of incarnation: Incarnation) -> ModelProcess? {
    processes.first { $0.incarnation == incarnation && $0.isAlive }
  }

  // MARK: - Owners

  /// Checks that `other` may evict a node (invariant 7).
  func checkFencing(of node: Incarnation, by other: Incarnation, _ reason: EvictionReason) {
    guard reason != .own else { return }
    world.tally.evictions += 1
    let contactMin = world.times.lease - .milliseconds(5)
    let hasContact = process(of: other)?.truth.hasContact(for: contactMin, at: world.now) ?? false
    let hasServerRun = server.map { world.now - $0.start >= contactMin } ?? false
    if !hasContact || !hasServerRun {
      world.report("invariant 7: a node without a lease of contact evicted another")
    }
    guard reason == .silent, let victim = process(of: node) else { return }
    if victim.truth.isTrusted(at: world.now, world.times) {
      world.report("invariant 7: a node was evicted for silence while it trusted itself")
    }
    if victim.isWell, world.now - victim.truth.lastTrouble > .seconds(3) {
      world.report("invariant 7: a healthy node was evicted for silence")
    }
  }

  /// Checks that a shard that a node claims is free (invariant 1), and that the node's clock has
  /// not been wrong for long.
  ///
  /// - Parameter row: the shard before the claim.
  func checkClaim(of shard: Int, by node: Incarnation, from row: ModelServer.Shard) {
    if row.owner != nil { world.report("invariant 1: shard \(shard) was claimed from its owner") }
    if !tenures.insert(Tenure(shard: shard, epoch: row.epoch)).inserted {
      world.report("invariant 1: the epoch of shard \(shard) has not grown")
    }
    guard let process = process(of: node), let since = wrongClocks[process.number] else { return }
    if world.now - since > world.times.lease + .seconds(2), !process.network.isSlow {
      world.report("a node took over shard \(shard) with a wrong clock")
    }
  }

  /// Checks that a node no longer serves a shard that it gives away (invariant 1).
  func checkRelease(of tenure: Tenure, by node: Incarnation) {
    world.tally.releases += 1
    if process(of: node)?.engine?.memory[tenure.shard] != nil {
      world.report("invariant 1: shard \(tenure.shard) was given away while it was served")
    }
  }

  /// Compares the clocks of the processes with the server's clock, after a clock was set.
  func compareClocks() {
    for process in processes {
      let lead = process.clock.lead - (server?.lead ?? .zero)
      let isWrong = max(lead, -lead) >= .milliseconds(2_700)
      wrongClocks[process.number] = isWrong ? wrongClocks[process.number] ?? world.now : nil
    }
  }

  // MARK: - Writes

  /// Checks changes that a node writes to a shard (invariants 2 to 5).
  ///
  /// - Parameter version: the version of the shard's rows in the node's memory; nil if it has none.
  func checkWrite(
    to shard: Int, _ changes: [ModelChange], by node: Incarnation, knowing version: Int?
  ) {
    guard let server else { return }
    if !server.isMember(node) || server.shards[shard].owner != node {
      world.report("invariant 2: shard \(shard) was not written by its unfenced owner")
    }
    let rows = server.rows[shard]
    if let version, version != rows.version {
      world.report("invariant 3: shard \(shard) was written from outdated memory")
    }
    var latest = rows.latest
    for case .decide(let notification) in changes {
      if rows.undecided[notification.occurrence] == nil {
        world.report("invariant 4: occurrence \(notification.occurrence) has a second outcome")
      }
      if let previous = latest[notification.recipient], previous >= notification.id {
        world.report("invariant 5: recipient \(notification.recipient) gets a lower id")
      }
      latest[notification.recipient] = notification.id
    }
  }

  // MARK: - Actions

  /// Checks that a process may begin an engine cycle (invariant 6).
  func checkTurn(of process: ModelProcess) { checkTrust(of: process, "an engine cycle") }

  /// Checks that a process may begin a delivery, and whether it is repeated (invariants 4 and 6).
  func check(_ delivery: ModelDelivery, by process: ModelProcess) {
    checkTrust(of: process, "a delivery")
    if let finding = repeats.add(delivery) { world.report(finding) }
    world.tally.repeats = repeats.count
  }

  /// Checks that a process is trusted when an action begins (invariant 6).
  private func checkTrust(of process: ModelProcess, _ what: String) {
    guard !process.truth.isTrusted(at: world.now, world.times) else { return }
    world.report("invariant 6: \(what) began after the end of trust in process \(process.number)")
  }

  // MARK: - Memory

  /// Compares the memory of each member's engine with the committed rows.
  ///
  /// - Parameter isThorough: whether to compare all rows, not only their versions.
  func compareMemories(isThorough: Bool) {
    guard let server else { return }
    for process in processes where process.isAlive {
      guard let engine = process.engine, !engine.isBusy, server.isMember(engine.incarnation) else {
        continue
      }
      for (shard, rows) in engine.memory {
        let committed = server.rows[shard]
        guard rows.version != committed.version || isThorough && rows != committed else { continue }
        world.report("invariant 3: memory of process \(process.number) is wrong for shard \(shard)")
      }
    }
  }
}
