import Synchronization
import Systemd
import Testing

@Suite struct WatchdogTests {
  /// A watchdog with the datagrams and journal lines of each of its rounds.
  private struct Scene {
    let heartbeats = Heartbeats(allowance: .seconds(10))
    let socket: NotificationSocket
    let log: Pipe
    var watchdog: Watchdog

    init() throws {
      socket = try NotificationSocket()
      log = try Pipe()
      let manager = ServiceManager(socket: socket.name)
      watchdog = Watchdog(
        manager: manager, heartbeats: heartbeats, journal: log.journal, board: StatusBoard(manager))
    }

    /// Lets the watchdog check once, and returns the datagrams that it sent.
    mutating func runRound(at second: Int) -> [String] {
      watchdog.check(at: .second(second))
      return socket.receiveAll()
    }

    var journalLines: [String] { log.lines().map(withoutTimestamp) }
  }

  @Test func `the watchdog is fed only while every vital part makes progress`() throws {
    var scene = try Scene()
    let wheel = scene.heartbeats.register("wheel", at: .second(0))
    let writer = scene.heartbeats.register("writer", allowance: .seconds(16), at: .second(0))
    #expect(scene.runRound(at: 0) == ["WATCHDOG=1"])
    #expect(scene.runRound(at: 5) == ["WATCHDOG=1"])
    #expect(scene.runRound(at: 6) == ["WATCHDOG=1", "STATUS=wheel makes no progress"])
    #expect(scene.runRound(at: 7) == ["WATCHDOG=1"])
    #expect(
      scene.runRound(at: 11) == [
        "STATUS=stalled: wheel", "WATCHDOG=trigger",
        "STATUS=stalled: wheel; writer makes no progress",
      ])
    #expect(scene.runRound(at: 12) == [])
    wheel.note(at: .second(13))
    writer.note(at: .second(13))
    #expect(
      scene.runRound(at: 13) == ["WATCHDOG=1", "STATUS=writer makes no progress", "STATUS="])
    #expect(scene.runRound(at: 14) == ["WATCHDOG=1"])
    #expect(
      scene.journalLines == [
        "warning: wheel has made no progress for 6.0 s; after 10.0 s the service is restarted"
          + " CHIME_REASON=wheel",
        "critical: wheel has made no progress for 11.0 s; the service manager is asked to restart"
          + " the service CHIME_REASON=wheel",
        "warning: writer has made no progress for 11.0 s; after 16.0 s the service is restarted"
          + " CHIME_REASON=writer",
        "notice: wheel makes progress again CHIME_REASON=wheel",
        "notice: writer makes progress again CHIME_REASON=writer",
      ])
  }

  @Test func `S12: without a manager, a stalled part ends the process`() throws {
    let log = try Pipe()
    let manager = ServiceManager(socket: nil, watchdogInterval: .seconds(20))
    let heartbeats = Heartbeats(allowance: .seconds(10))
    let endCount = Mutex(0)
    var watchdog = Watchdog(
      manager: manager, heartbeats: heartbeats, journal: log.journal, board: StatusBoard(manager)
    ) { endCount.withLock { $0 += 1 } }
    let wheel = heartbeats.register("wheel", at: .second(0))
    watchdog.check(at: .second(9))
    #expect(endCount.withLock(\.self) == 0)
    _ = log.lines()
    watchdog.check(at: .second(11))
    watchdog.check(at: .second(12))
    #expect(endCount.withLock(\.self) == 1)
    #expect(
      log.lines().map(withoutTimestamp) == [
        "critical: wheel has made no progress for 11.0 s; the process ends with 70"
          + " CHIME_REASON=wheel"
      ])
    withExtendedLifetime(wheel) {}
  }

  @Test func `a slow sink does not stop the watchdog`() throws {
    var scene = try Scene()
    let lane = scene.heartbeats.register("smtp", isVital: false, at: .second(0))
    #expect(scene.runRound(at: 10) == ["WATCHDOG=1"])
    #expect(scene.runRound(at: 11) == ["WATCHDOG=1", "STATUS=smtp takes long to answer"])
    #expect(scene.runRound(at: 1_000) == ["WATCHDOG=1"])
    lane.idle(until: nil)
    #expect(scene.runRound(at: 1_001) == ["WATCHDOG=1", "STATUS="])
    #expect(
      scene.journalLines == [
        "warning: smtp has not answered for 11.0 s; its deliveries wait, others continue"
          + " CHIME_SINK=smtp",
        "notice: smtp has answered CHIME_SINK=smtp",
      ])
  }

  /// A part that does not answer the request for a sign of progress counts as stalled.
  @Test func `an idle part is asked for a sign of progress`() throws {
    var scene = try Scene()
    let requests = Mutex<[ProgressHandle]>([])
    scene.heartbeats.register("loop", at: .second(0)) { progress in
      requests.withLock { $0.append(progress) }
    }
    #expect(scene.runRound(at: 1_000) == ["WATCHDOG=1"])
    for progress in requests.withLock({ $0 }) { progress.idle(until: nil) }
    #expect(scene.runRound(at: 1_020) == ["WATCHDOG=1"])
    #expect(scene.runRound(at: 1_026) == ["WATCHDOG=1", "STATUS=loop makes no progress"])
    #expect(scene.runRound(at: 1_031) == ["STATUS=stalled: loop", "WATCHDOG=trigger"])
    #expect(requests.withLock { $0.count } == 2, "a part that owes an answer is not asked again")
  }

  @Test(.timeLimit(.minutes(1)))
  func `the thread feeds the watchdog repeatedly`() throws {
    let socket = try NotificationSocket()
    let thread = try start(socket, interval: .milliseconds(4))
    for _ in 1...3 { #expect(socket.next() == "WATCHDOG=1") }
    thread.stop()
    _ = socket.receiveAll()
    #expect(socket.receiveAll() == [], "the thread is stopped")
  }

  /// With hours between two rounds, only a wake-up can end the thread in time.
  @Test(.timeLimit(.minutes(1)))
  func `a stopped thread ends at once`() throws {
    let socket = try NotificationSocket()
    let thread = try start(socket, interval: .seconds(4 * 3_600))
    #expect(socket.next() == "WATCHDOG=1", "the watchdog is fed at once")
    thread.stop()
    thread.stop()
    #expect(socket.receiveAll() == [])
  }

  @Test func `without a watchdog there is no thread`() throws {
    let log = try Pipe()
    let manager = ServiceManager(socket: "@nobody")
    let thread = try WatchdogThread.start(
      manager: manager, heartbeats: Heartbeats(), journal: log.journal,
      board: StatusBoard(manager))
    #expect(thread == nil)
  }

  private func start(_ socket: NotificationSocket, interval: Duration) throws -> WatchdogThread {
    let log = try Pipe()
    let manager = ServiceManager(socket: socket.name, watchdogInterval: interval)
    return try #require(
      try WatchdogThread.start(
        manager: manager, heartbeats: Heartbeats(), journal: log.journal,
        board: StatusBoard(manager), now: { .second(0) }))
  }
}
