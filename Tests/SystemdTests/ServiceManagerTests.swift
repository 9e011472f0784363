import Glibc
import Systemd
import Testing

@Suite struct ServiceManagerTests {
  private let instant = MonotonicInstant.epoch.advanced(by: .microseconds(1_234_567_890))

  @Test func `every message is one datagram`() throws {
    let socket = try NotificationSocket()
    let manager = ServiceManager(socket: socket.name)
    #expect(manager.extendTimeout(by: .milliseconds(1_500)))
    #expect(manager.ready())
    #expect(manager.status("next 21:00:00Z; 3 pending"))
    #expect(manager.watchdog())
    #expect(manager.reloading(at: instant))
    #expect(manager.triggerWatchdog())
    #expect(manager.stopping())
    #expect(
      socket.receiveAll() == [
        "EXTEND_TIMEOUT_USEC=1500000", "READY=1", "STATUS=next 21:00:00Z; 3 pending",
        "WATCHDOG=1", "RELOADING=1\nMONOTONIC_USEC=1234567890", "WATCHDOG=trigger", "STOPPING=1",
      ])
  }

  @Test func `the socket may be a path`() throws {
    let socket = try NotificationSocket(at: "/tmp/chimed-test-\(getpid()).notify")
    #expect(ServiceManager(socket: socket.name).ready())
    #expect(socket.receiveAll() == ["READY=1"])
  }

  @Test(arguments: [
    ("a\nWATCHDOG=trigger", "a WATCHDOG=trigger"),
    ("\r\n\u{0}\t\u{7F}\u{85}x", "      x"),
    ("Grüße 🌙", "Grüße 🌙"),
    ("", ""),
    (String(repeating: "é", count: 600), String(repeating: "é", count: 512)),
    ("a" + String(repeating: "é", count: 600), "a" + String(repeating: "é", count: 511)),
  ])
  func `the status is one line of at most 1,024 bytes`(text: String, line: String) throws {
    let socket = try NotificationSocket()
    ServiceManager(socket: socket.name).status(text)
    #expect(socket.receiveAll() == ["STATUS=\(line)"])
  }

  @Test(arguments: [nil, "", "/", "relative", "/nowhere/at/all", "vsock:2:1234"])
  func `without a service manager nothing is sent`(socket: String?) {
    let manager = ServiceManager(socket: socket)
    #expect(!manager.ready())
    #expect(!manager.watchdog())
  }

  /// Messages that are repeated anyway must not block the service while the manager reads nothing.
  @Test(.timeLimit(.minutes(1)))
  func `a full queue drops messages that are repeated anyway`() throws {
    let socket = try NotificationSocket()
    let manager = ServiceManager(socket: socket.name)
    let limit = 100_000
    #expect((0..<limit).contains { _ in !manager.status("again") }, "the queue never filled")
    #expect(!manager.watchdog())
    #expect(socket.receiveAll().allSatisfy { $0 == "STATUS=again" })
    #expect(manager.watchdog(), "the queue has space again")
  }

  /// Important messages block for a bounded time, and the journal reports the loss.
  @Test(.timeLimit(.minutes(1)))
  func `S1: a manager that reads nothing does not block the service`() throws {
    let (socket, log) = (try NotificationSocket(), try Pipe())
    let manager = ServiceManager(
      socket: socket.name, journal: log.journal, timeout: .milliseconds(20))
    while manager.status("again") {}
    #expect(!manager.ready())
    #expect(!manager.stopping())
    #expect(
      log.lines().map { $0.contains(" within 20 ms; the service continues") } == [true, true])
    #expect(socket.receiveAll().allSatisfy { $0 == "STATUS=again" })
    #expect(manager.stopping(), "the queue has space again")
    #expect(log.lines().isEmpty)
  }

  /// The manager compares the reported instant with its own CLOCK_MONOTONIC.
  @Test func `monotonic instants are those of CLOCK_MONOTONIC`() {
    let before = kernelMicroseconds()
    let now = MonotonicInstant.now.microseconds
    let after = kernelMicroseconds()
    #expect(before <= now && now <= after)
  }

  @Test(arguments: [
    (Duration.zero, UInt64(0)), (.seconds(-1), 0), (.nanoseconds(1_999), 1),
    (.milliseconds(1_500), 1_500_000),
    (.seconds(Int64.max), UInt64.max),
  ])
  func `microseconds round down and saturate`(duration: Duration, microseconds: UInt64) {
    #expect(duration.microseconds == microseconds)
  }

  private func kernelMicroseconds() -> UInt64 {
    var reading = timespec()
    clock_gettime(CLOCK_MONOTONIC, &reading)
    return UInt64(reading.tv_sec) * 1_000_000 + UInt64(reading.tv_nsec) / 1_000
  }
}
