import CivilTime
import Fleet
import TestSupport

/// The faults of a fleet.
enum FleetFault: CaseIterable {
  case kill
  case pause
  case pauseInTurn
  case split
  case slowNetwork
  case restartServer
  case stallServer
  case terminateSessions
  case loseCommit
  /// For a while, the server is slow to end the sessions of evicted nodes.
  case lateEnds
  case setClock
  case setServerClock
  case drain
  case stop
  case longTurn
  case slowSink
}

extension FleetLife {
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

  /// A machine that was paused may resume with a wrong clock.
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

  /// Records whether an operator has requested a drain of the node. The request outlives restarts
  /// of the node.
  func setDrainRequested(_ isDrainRequested: Bool, of process: ModelProcess) {
    if isDrainRequested {
      server.drainedNames.insert(process.name)
    } else {
      server.drainedNames.remove(process.name)
    }
  }

  /// Sets the clock of a process wrong by less than a second, by seconds, or by an hour; sets the
  /// server's clock if `process` is nil.
  private func setClock(of process: ModelProcess?) {
    let size = world.random.pick([100, 400, 1_800, 3_000, 12_000, 3_600_000])
    let lead = TimeSpan.milliseconds(world.random.isOne(of: 2) ? size : -size)
    if let process { process.clock.lead = lead } else { server.lead = lead }
    judge.clocksHaveChanged()
  }
}
