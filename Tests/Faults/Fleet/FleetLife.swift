import CivilTime
import Fleet
import TestSupport

/// The simulation of one seed: nodes on a model of PostgreSQL, their faults, and all findings.
///
/// This object may be used on one thread only. The same seed repeats the same steps.
final class FleetLife {
  /// The time at which the faults end.
  private static let faultsEnd = TimeSpan.seconds(40)

  let circumstances: FleetCircumstances
  let world: FleetWorld
  let judge: FleetJudge
  let server: ModelServer
  let sink: ModelSink
  let processes: [ModelProcess]
  private let client: ModelClient

  init(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let circumstances = FleetCircumstances(&random)
    let world = FleetWorld(random, FleetTimes(lease: circumstances.lease))
    let judge = FleetJudge(world)
    let server = ModelServer(world, judge, shards: circumstances.shardCount)
    let sink = ModelSink(world)
    processes = (0..<circumstances.nodeCount).map { number in
      let name = circumstances.isNameShared ? "node" : "node \(number)"
      return ModelProcess(number, name: name, world, server, judge, sink)
    }
    judge.watch(server, processes)
    client = ModelClient(world, server, processes)
    (self.circumstances, self.world, self.judge) = (circumstances, world, judge)
    (self.server, self.sink) = (server, sink)
  }

  /// Sends hints that a shard has become free to some of the nodes. No node depends on hints,
  /// because they may be lost.
  private func hint() {
    for process in processes where world.random.isOne(of: 2) {
      world.after(world.milliseconds(1..<30)) { process.hint() }
    }
  }

  var tally: FleetTally { world.tally }

  /// Runs the whole simulation.
  ///
  /// - Returns: the findings.
  func run() -> [String] {
    for process in processes {
      world.after(world.milliseconds(0..<(world.random.isOne(of: 2) ? 100 : 12_000))) {
        process.start()
      }
    }
    client.scheduleEvents(circumstances.eventCount, until: Self.faultsEnd)
    scheduleComparison()
    server.notify = { [unowned self] in hint() }
    switch circumstances.scenario {
    case .calm: runCalm()
    case .death, .hang: checkTakeover()
    case .drain: checkDraining()
    case .storm: runStorm()
    }
    checkRecovery()
    let findings = world.findings
    world.end()
    judge.end()
    return findings
  }

  /// Compares the nodes' memories with the database every 500 ms.
  private func scheduleComparison() {
    world.after(.milliseconds(500)) {
      self.judge.compareMemories(isThorough: false)
      self.scheduleComparison()
    }
  }

  // MARK: - Scenarios

  /// Checks that no node is evicted without a fault.
  private func runCalm() {
    scheduleLongTurns()
    world.run(until: Self.faultsEnd)
    if tally.evictions > 0 { world.report("a node was evicted without a fault") }
  }

  private func scheduleLongTurns() {
    world.after(world.milliseconds(1_000..<9_000)) {
      guard self.world.now < Self.faultsEnd else { return }
      self.inflict(.longTurn, timeLeft: .zero)
      self.scheduleLongTurns()
    }
  }

  /// Checks that other nodes take over the shards soon after a death. After a hang, they do so soon
  /// after the end of the lease.
  private func checkTakeover() {
    world.run(until: .seconds(25))
    let process = world.random.pick(processes)
    let isDeath = circumstances.scenario == .death
    let bound = isDeath ? TimeSpan.milliseconds(1_500) : circumstances.lease + .milliseconds(1_500)
    if isDeath {
      process.kill(startingAgainAfter: .seconds(30))
    } else {
      hang(process)
    }
    let start = world.now
    world.run(until: start + bound + .milliseconds(100)) { self.judge.areShardsOwned() }
    let length = world.now - start
    if length > bound { world.report("a takeover took more than \(bound)") }
    world.tally.add(takeover: length, afterDeath: isDeath)
    // An engine in the middle of a cycle ends the cycle first.
    let end = start + bound + ModelEngine.turnMax + .milliseconds(100)
    world.run(until: end) { self.judge.areShardsServed() }
    if !judge.areShardsServed() { world.report("the new owner does not serve") }
    world.run(until: Self.faultsEnd)
  }

  /// Pauses a process at a random point. If it is paused inside a transaction, it keeps locks for
  /// which other processes wait.
  private func hang(_ process: ModelProcess) {
    process.pausePoint = (world.random.pick(ModelEngine.HangPoint.allCases), .seconds(15))
    world.run(until: world.now + .seconds(5)) { process.isPaused }
    if !process.isPaused { pause(process, for: .seconds(15)) }
  }

  /// Checks that a drain repeats no delivery, even if the node restarts during the drain.
  private func checkDraining() {
    world.run(until: .seconds(20))
    let process = world.random.pick(processes)
    setDrainRequested(true, of: process)
    if world.random.isOne(of: 2) {
      world.after(world.milliseconds(500..<9_000)) { process.stop() }
    }
    world.run(until: Self.faultsEnd)
    if !(process.engine?.memory.isEmpty ?? false) { world.report("a node has not been drained") }
    if tally.repeats > 0 { world.report("a delivery was repeated during a drain") }
    setDrainRequested(false, of: process)
  }

  private func runStorm() {
    if world.random.isOne(of: 3) { server.lateUntil = Self.faultsEnd }
    for _ in 0..<circumstances.faultCount {
      let at = world.milliseconds(500..<Int(Self.faultsEnd.milliseconds))
      let fault = world.random.pick(circumstances.faultKinds)
      world.after(at) { self.inflict(fault, timeLeft: Self.faultsEnd - at) }
    }
    world.run(until: Self.faultsEnd)
  }

  /// Corrects all clocks, which ends the last faults, and checks that the fleet recovers within a
  /// bound.
  private func checkRecovery() {
    for process in processes { process.clock.lead = .zero }
    server.lead = .zero
    judge.compareClocks()
    let start = world.now
    let bound = world.times.lease * 3 + .seconds(20)
    world.run(until: start + bound) { self.judge.unmetExpectations(of: self.client).isEmpty }
    guard world.findings.isEmpty else { return }
    for expectation in judge.unmetExpectations(of: client) {
      world.report("\(bound) after the faults, \(expectation)")
    }
    judge.compareMemories(isThorough: true)
    for loss in judge.losses(of: client) { world.report(loss) }
  }
}
