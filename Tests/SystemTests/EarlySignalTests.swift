import Glibc
import Testing

/// Signals during a service's start. SIGTERM or SIGINT ends it with exit code 0, as it ends a
/// running service.
@OwnThread @Suite struct EarlySignalTests {
  private let workspace: Workspace

  init() throws {
    workspace = try Workspace()
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func `a signal at the very beginning ends the start`(signal: Int32) throws {
    let service = try Service(workspace)
    try waitUntilBlocked(signal, by: service.process)
    service.process.send(signal)
    #expect(try service.process.finish() == .exited(0))
  }

  @Test(arguments: Array(stride(from: 1, through: 60, by: 4)))
  func `a signal during the creation of the store ends the start`(changes: Int) throws {
    let watch = try FileWatch(workspace.state)
    let service = try Service(workspace)
    while watch.count < changes && !service.isReady {
      try service.readOutput(others: [watch.descriptor])
      watch.read()
    }
    #expect(try service.stop() == .exited(0))
    #expect(!Files.names(in: workspace.path).contains("socket"))
  }

  @Test func `a SIGHUP during the start leads to a reload once the service serves`() throws {
    let service = try Service(workspace)
    try waitUntilBlocked(SIGHUP, by: service.process)
    service.process.send(SIGHUP)
    try service.waitUntilReady()
    #expect(try service.stop() == .exited(0))
    let ranges = ["serving on", "was reloaded", "stopping", "stopped"].map {
      service.log.firstRange(of: $0)
    }
    #expect(ranges.allSatisfy { $0 != nil })
    let positions = ranges.compactMap { $0?.lowerBound }
    #expect(positions == positions.sorted())
  }

  /// Polls until the process has blocked the signal.
  private func waitUntilBlocked(_ signal: Int32, by process: ChildProcess) throws {
    for _ in 0..<100_000 where try isBlocked(signal, by: process) { return }
    throw Failure("the process does not block signal \(signal)")
  }

  /// Whether the process's first thread blocks the signal (proc(5), `status`).
  private func isBlocked(_ signal: Int32, by process: ChildProcess) throws -> Bool {
    let status = try Files.read("/proc/\(process.identifier)/status")
    let lines = String(decoding: status, as: UTF8.self).split(separator: "\n")
    let blocked = lines.first { $0.hasPrefix("SigBlk:\t") }
    let mask = blocked.flatMap { UInt64($0.dropFirst(8), radix: 16) } ?? 0
    return mask & 1 << (signal - 1) != 0
  }
}
