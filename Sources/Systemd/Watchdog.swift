/// One turn of the watchdog: asks the ledger, and feeds the service manager only while every
/// subsystem that a restart would cure gets on with its work (S2).
package struct Watchdog: Sendable {
  private let manager: ServiceManager
  private let ledger: ProgressLedger
  private let journal: Journal
  private let board: StatusBoard
  private var judgement = WatchdogJudgement()

  package init(
    manager: ServiceManager, ledger: ProgressLedger, journal: Journal, board: StatusBoard
  ) {
    self.manager = manager
    self.ledger = ledger
    self.journal = journal
    self.board = board
  }

  package mutating func turn(at now: MonotonicInstant) {
    // Neither fed nor triggered: the process ends by itself, with the code that says why.
    guard !ledger.hasFailed else { return }
    let (isFed, news) = judgement.decide(late: ledger.late(at: now))
    if isFed { manager.watchdog() }
    for item in news { tell(item) }
    ledger.ask(at: now)
  }

  /// The status comes first, as the journal may be what holds everything up.
  private func tell(_ news: WatchdogJudgement.News) {
    switch news {
    case .slow(let part): tellSlow(part)
    case .stalled(let part): tellStalled(part)
    case .delayed(let part): tellDelayed(part)
    case .recovered(let part): tellRecovered(part)
    }
  }

  private func tellSlow(_ part: LatePart) {
    let (age, limit) = (LatePart.seconds(part.age), LatePart.seconds(part.allowance))
    board.remark(on: part.name, "\(part.name) makes no progress")
    journal.send(
      .progressSlow,
      "\(part.name) has made no progress for \(age); after \(limit) the service is restarted",
      fields: [(.reason, part.name)])
  }

  private func tellStalled(_ part: LatePart) {
    board.remark(on: part.name, "stalled: \(part.name)")
    journal.send(
      .watchdogStalled,
      "\(part.name) has made no progress for \(LatePart.seconds(part.age)); "
        + "the service manager is asked to restart the service",
      fields: [(.reason, part.name)])
    manager.triggerWatchdog()
  }

  private func tellDelayed(_ part: LatePart) {
    let age = LatePart.seconds(part.age)
    board.remark(on: part.name, "\(part.name) takes long to answer")
    journal.send(
      .sinkSlow,
      "\(part.name) has not answered for \(age); what it was handed waits, and nothing else does",
      fields: [(.sink, part.name)])
  }

  private func tellRecovered(_ part: LatePart) {
    board.remark(on: part.name, nil)
    guard part.isVital else {
      return journal.send(
        .sinkRecovered, "\(part.name) has answered", fields: [(.sink, part.name)])
    }
    journal.send(
      .progressResumed, "\(part.name) makes progress again", fields: [(.reason, part.name)])
  }
}
