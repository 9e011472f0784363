import CivilTime
import Engine
import FaultyDisk
import Reminders
import Store
import Systemd
import TestSupport

/// How processes of a life begin and end.
extension Life {
  /// - Returns: nil if it did not come up, as it may while the disk fails.
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

  /// A read error is not damage (rule S7): a restart has to be tried.
  private func judge(startError error: any Error) {
    guard let error = error as? StoreError, !disk.isHalted else { return }
    if case .damaged = error { find("an error of the disk is taken for damage: \(error)") }
    if case .newer = error { find("an error of the disk is taken for another version: \(error)") }
  }

  /// What is to be said of the end of a process (rule S7).
  func judge(end failure: StoreFailure?, of process: LifeProcess) {
    if !calls.answeredTwice.isEmpty { find("answered twice: \(calls.answeredTwice)") }
    if disk.isHalted {
      tally.deaths += 1
      return
    }
    if !calls.waiting.isEmpty { find("never answered: \(calls.waiting.joined(separator: ", "))") }
    guard let failure else { return }
    guard hasFailed else { return find("the service ended by itself: \(failure)") }
    if failure.isDamage { find("an error of the disk is taken for damage: \(failure)") }
    tally.failures += 1
    let later = clocks.uptime + .seconds(60)
    if process.heartbeats.stale(at: later).isEmpty {
      find("the watchdog is fed after a failure of the store")
    }
  }

  /// Makes of the disk what it holds after an end: all that was written, unless it was more than
  /// the end of a process.
  func recover() {
    tally.diskCalls += disk.calls() - callsBefore
    let isOrderly = !disk.isHalted && !hasFailed
    do {
      try disk.crash(isOrderly ? .killed : crash)
    } catch {
      find("the disk could not be restored: \(error)")
    }
    heal()
    callsBefore = disk.calls()
    faultsBefore = disk.faults
  }

  private var crash: FaultyDisk.Crash {
    switch death {
    case .killed: .killed
    case .powerCut: .lost
    case .tornPowerCut: .torn(seed: random.next())
    }
  }

  /// Whether a call to the disk has failed since the process began.
  var hasFailed: Bool { disk.faults > faultsBefore }

  /// Nothing is to go wrong with the disk any more.
  func heal() {
    fullSince = nil
    disk.mend()
    disk.halt(at: 0)
    disk.limit(to: nil)
  }
}

extension FaultyDisk {
  /// Fails with the code that SQLite's own VFS would give.
  func fail(_ call: FaultyCall, after count: Int, isForGood: Bool) {
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
    fail(kind, at: count, with: code, times: isForGood ? nil : 1)
  }
}
