/// One turn of the watchdog: asks the ledger, and feeds the service manager only while every
/// subsystem gets on with its work (S2).
package struct Watchdog: Sendable {
  private let manager: ServiceManager
  private let ledger: ProgressLedger
  private let journal: Journal
  private var judgement = WatchdogJudgement()

  package init(manager: ServiceManager, ledger: ProgressLedger, journal: Journal) {
    self.manager = manager
    self.ledger = ledger
    self.journal = journal
  }

  package mutating func turn(at now: MonotonicInstant) {
    switch judgement.decide(stale: ledger.stale(at: now)) {
    case .feed: manager.watchdog()
    case .recover(let names): recover(names.joined(separator: ", "))
    case .report(let names): report(names.joined(separator: ", "))
    case .starve: break
    }
  }

  /// The status comes first, as the journal may be what holds everything up.
  private func report(_ names: String) {
    manager.status("stalled: \(names)")
    journal.send(
      .watchdogStalled, "No progress: \(names). The watchdog is no longer fed.",
      fields: [(.reason, names)])
  }

  private func recover(_ names: String) {
    manager.watchdog()
    manager.status("going on after a stall: \(names)")
    journal.send(
      message: "Progress again: \(names). The watchdog is fed.", priority: .notice,
      fields: [(.reason, names)])
  }
}
