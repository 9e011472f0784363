import Systemd
import Testing

@Suite struct WatchdogTests {
  /// Turns at the given seconds, and what the manager was told at each.
  @Test func isFedOnlyWhileAllGetOn() throws {
    let socket = try NotificationSocket()
    let log = try Pipe()
    let ledger = ProgressLedger()
    let wheel = ledger.register("wheel", allowance: .seconds(5), at: .second(0))
    let writer = ledger.register("writer", allowance: .seconds(8), at: .second(0))
    var watchdog = Watchdog(
      manager: ServiceManager(socket: socket.name), ledger: ledger, journal: log.journal)
    func told(at second: Int) -> [String] {
      watchdog.turn(at: .second(second))
      return socket.arrived()
    }

    #expect(told(at: 0) == ["WATCHDOG=1"])
    #expect(told(at: 5) == ["WATCHDOG=1"])
    #expect(told(at: 6) == ["STATUS=stalled: wheel"])
    #expect(told(at: 7) == [])
    #expect(told(at: 9) == ["STATUS=stalled: wheel, writer"])
    wheel.note(at: .second(10))
    #expect(told(at: 10) == ["STATUS=stalled: writer"])
    writer.note(at: .second(11))
    #expect(told(at: 11) == ["WATCHDOG=1", "STATUS=going on after a stall: writer"])
    #expect(told(at: 12) == ["WATCHDOG=1"])
    #expect(
      log.lines().map(withoutTimestamp) == [
        "critical: No progress: wheel. The watchdog is no longer fed. CHIME_REASON=wheel",
        "critical: No progress: wheel, writer. The watchdog is no longer fed."
          + " CHIME_REASON=\"wheel, writer\"",
        "critical: No progress: writer. The watchdog is no longer fed. CHIME_REASON=writer",
        "notice: Progress again: writer. The watchdog is fed. CHIME_REASON=writer",
      ])
  }

  @Test(.timeLimit(.minutes(1)))
  func itsThreadFeedsAgainAndAgain() throws {
    let socket = try NotificationSocket()
    let thread = try start(socket, interval: .milliseconds(4))
    for _ in 1...3 { #expect(socket.next() == "WATCHDOG=1") }
    thread.stop()
    _ = socket.arrived()
    #expect(socket.arrived() == [], "it is stopped")
  }

  /// With hours between two turns, only being woken can end the thread in time.
  @Test(.timeLimit(.minutes(1)))
  func itsThreadEndsAtOnce() throws {
    let socket = try NotificationSocket()
    let thread = try start(socket, interval: .seconds(4 * 3_600))
    #expect(socket.next() == "WATCHDOG=1", "the first sign of life is given at once")
    thread.stop()
    thread.stop()
    #expect(socket.arrived() == [])
  }

  @Test func withoutAWatchdogThereIsNoThread() throws {
    let log = try Pipe()
    let manager = ServiceManager(socket: "@nobody")
    let thread = try WatchdogThread.start(
      manager: manager, ledger: ProgressLedger(), journal: log.journal)
    #expect(thread == nil)
  }

  private func start(_ socket: NotificationSocket, interval: Duration) throws -> WatchdogThread {
    let log = try Pipe()
    let manager = ServiceManager(socket: socket.name, watchdogInterval: interval)
    return try #require(
      try WatchdogThread.start(
        manager: manager, ledger: ProgressLedger(), journal: log.journal, now: { .second(0) }))
  }
}
