import CivilTime
import Fleet
import TestSupport

/// The faults of a fleet. "The process" is a random one.
enum FleetFault: CaseIterable {
  /// The process dies, and starts again later.
  case kill
  /// The process hangs for a while.
  case pause
  /// The process hangs at a point of its next engine cycle.
  case pauseInTurn
  /// For a while, the process and the server cannot reach each other.
  case split
  case slowNetwork
  case restartServer
  /// For a while, the server answers nothing.
  case stallServer
  /// The server ends some sessions of the process.
  case terminateSessions
  /// The next commit of each session of the process gets no answer.
  case loseCommit
  /// For a while, the server is slow to end the sessions of evicted nodes.
  case lateEnds
  /// The wall clock of the process becomes wrong.
  case setClock
  /// The server's clock becomes wrong.
  case setServerClock
  /// An operator drains the node for a while.
  case drain
  /// An operator stops the process in an orderly way; it starts again later.
  case stop
  /// The next engine cycle of the process takes seconds.
  case longTurn
  /// For a while, the sink is slow.
  case slowSink
}

extension FleetLife {
  /// Inflicts a fault.
  ///
  /// - Parameter timeLeft: the time until all faults must be over.
  func inflict(_ fault: FleetFault, timeLeft: TimeSpan) {
    let process = world.random.pick(processes)
    let span = min(world.milliseconds(100..<15_000), timeLeft)
    switch fault {
    case .kill: process.kill(startingAgainAfter: world.milliseconds(200..<6_000))
    case .pause: pause(process, for: span)
    case .pauseInTurn:
      process.pausePoint = (world.random.pick(ModelEngine.HangPoint.allCases), min(span, timeLeft))
      // Cancels a pause that could no longer end in time.
      world.after(timeLeft - span) { process.pausePoint = nil }
    case .split, .slowNetwork: disturbNetwork(of: process, fault, for: span)
    case .drain: drain(process, for: span)
    case .stop: process.stop()
    case .longTurn: process.engine?.nextLength = world.milliseconds(1_000..<9_000)
    case .slowSink: sink.slowUntil = world.now + span
    case .setClock, .setServerClock: setClock(of: fault == .setClock ? process : nil)
    default: disturbServer(fault, process, for: span)
    }
  }

  /// Pauses a process. Its clock may become wrong, as that of a machine that was suspended.
  func pause(_ process: ModelProcess, for span: TimeSpan) {
    process.pause(for: span)
    if world.random.isOne(of: 3) { setClock(of: process) }
  }

  private func disturbNetwork(of process: ModelProcess, _ fault: FleetFault, for span: TimeSpan) {
    if fault == .split {
      process.network.split(for: span)
    } else {
      process.network.slowDown(for: span)
    }
    world.after(span + .milliseconds(1)) { process.truth.recordTrouble(at: self.world.now) }
  }

  private func disturbServer(
    _ fault: FleetFault, _ process: ModelProcess, for span: TimeSpan
  ) {
    switch fault {
    case .restartServer: server.restart(downFor: span)
    case .stallServer: server.stall(for: span)
    case .lateEnds: server.lateUntil = world.now + span
    case .terminateSessions:
      for session in server.sortedSessions
      where session.incarnation == process.incarnation && world.random.isOne(of: 2) {
        server.end(session)
      }
    default:
      for session in server.sortedSessions where session.incarnation == process.incarnation {
        session.commitLoss = world.random.pick(ModelSession.CommitLoss.allCases)
      }
    }
  }

  private func drain(_ process: ModelProcess, for span: TimeSpan) {
    // A drain by a shared name would drain all nodes, which is refused.
    guard !circumstances.isNameShared else { return }
    setDrainRequested(true, of: process)
    world.after(span) { self.setDrainRequested(false, of: process) }
  }

  /// Records whether an operator has requested to drain the node. The request survives restarts of
  /// the node.
  func setDrainRequested(_ isDrainRequested: Bool, of process: ModelProcess) {
    if isDrainRequested {
      server.drainedNames.insert(process.name)
    } else {
      server.drainedNames.remove(process.name)
    }
  }

  /// Sets the clock of a process, or the server's clock if `process` is nil. The clock becomes
  /// wrong by less than a second, by seconds, or by an hour.
  private func setClock(of process: ModelProcess?) {
    let size = world.random.pick([100, 400, 1_800, 3_000, 12_000, 3_600_000])
    let lead = TimeSpan.milliseconds(world.random.isOne(of: 2) ? size : -size)
    if let process { process.clock.lead = lead } else { server.lead = lead }
    judge.compareClocks()
  }
}
