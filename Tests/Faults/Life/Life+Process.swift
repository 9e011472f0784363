import CivilTime
import Engine
import FaultyDisk
import Reminders
import Store
import Systemd
import TestSupport

/// The start and end of a run's processes.
extension Life {
  /// Starts a process.
  ///
  /// - Returns: nil if the process did not start, which is allowed while the disk fails.
  func start() -> LifeProcess? {
    do {
      let process = try LifeProcess(self)
      idleTurns = 0
      return process
    } catch {
      guard disk.isHalted || hasFailed else {
        find("the service does not start on a healthy disk: \(error)")
        return nil
      }
      judge(startError: error)
      return nil
    }
  }

  /// Checks that the service does not report a read error as damage, so that it can start again
  /// (rule S7).
  private func judge(startError error: any Error) {
    guard let error = error as? StoreError, !disk.isHalted else { return }
    if case .damaged = error { find("a disk error is reported as damage: \(error)") }
    if case .newer = error { find("a disk error is reported as another version: \(error)") }
  }

  /// Checks the end of a process (rule S7).
  func judge(end failure: StoreFailure?, of process: LifeProcess) {
    if !calls.answeredTwice.isEmpty { find("answered twice: \(calls.answeredTwice)") }
    if disk.isHalted {
      tally.deaths += 1
      return
    }
    let unanswered = calls.unansweredNames
    if !unanswered.isEmpty { find("never answered: \(unanswered.joined(separator: ", "))") }
    guard let failure else { return }
    guard hasFailed else { return find("the service ended by itself: \(failure)") }
    if failure.isDamage { find("a disk error is reported as damage: \(failure)") }
    tally.failures += 1
    let later = clocks.monotonicNow + .seconds(60)
    if process.heartbeats.stale(at: later).isEmpty {
      find("the watchdog is fed after a failure of the store")
    }
  }

  /// Sets the disk's content for the next process. All writes survive, except after a power cut.
  func recover() {
    tally.diskCalls += disk.calls() - callsAtStart
    let isOrderly = !disk.isHalted && !hasFailed
    do {
      try disk.crash(isOrderly ? .killed : crash)
    } catch {
      find("the disk could not be restored: \(error)")
    }
    endFaults()
    callsAtStart = disk.calls()
    faultsAtStart = disk.faults
  }

  /// The effect of the process's death on the disk.
  private var crash: FaultyDisk.Crash {
    switch death {
    case .killed: .killed
    case .powerCut: .lost
    case .tornPowerCut: .torn(seed: random.next())
    }
  }

  /// Whether a disk call has failed since the process began.
  var hasFailed: Bool { disk.faults > faultsAtStart }

  /// Ends all faults of the disk.
  func endFaults() {
    fullSince = nil
    disk.stopFailing()
    disk.halt(at: 0)
    disk.limit(to: nil)
  }
}

extension FaultyDisk {
  /// Makes calls fail with the error code that SQLite's own VFS would return.
  func fail(_ call: FaultyCall, at count: Int, isPermanent: Bool) {
    let (kind, code): (Call?, Int32) =
      switch call {
      case .open: (.open, 14)
      case .read: (.read, 266)
      case .write: (.write, 778)
      case .sync: (.sync, 1_034)
      case .truncate: (.truncate, 1_546)
      case .size: (.size, 1_802)
      case .share: (.share, 5_386)
      case .access: (.access, 3_338)
      case .any: (nil, 10)
      }
    fail(kind, at: count, with: code, times: isPermanent ? nil : 1)
  }
}
