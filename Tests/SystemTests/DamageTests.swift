import Glibc
import JSON
import Testing

/// A service reports damage to its store at the start, or when it reads the damaged page. It never
/// accepts an accepted event again as new.
@OwnThread @Suite struct DamageTests {
  private let workspace: Workspace
  /// The events accepted before the damage.
  private let batch: String
  /// The bytes of the database before the damage.
  private let intact: [UInt8]

  init() throws {
    workspace = try Workspace()
    let events = (0..<50).map { Report.milestone("e\($0)", of: "r\($0)", at: Report.now) }
    batch = Report.batch(events)
    let service = try Service(workspace)
    try service.waitUntilReady()
    _ = try service.ask("POST", "/v1/events", batch)
    _ = try service.stop()
    intact = try Files.read(workspace.database)
  }

  @Test(arguments: [99, 4_096, 16_384, 100_000])
  func `a truncated store is refused and left unchanged`(length: Int) throws {
    let truncated = Array(intact[..<length])
    try replaceStore(with: truncated)
    let start = try FailedStart(workspace, Service.arguments(workspace))
    #expect(start.code == 65)
    #expect(start.message.contains("is damaged or not a chimed store"))
    #expect(try Files.read(workspace.database) == truncated)
    try expectIntactAfterRestoration()
  }

  @Test func `a store with an overwritten page loses no event`() throws {
    let pageSize = Int(intact[16]) << 8 | Int(intact[17])
    #expect(pageSize >= 512)
    var refusals = 0
    for start in stride(from: 0, to: intact.count, by: pageSize) {
      var damaged = intact
      for index in start..<start + pageSize { damaged[index] = 0xa5 }
      try replaceStore(with: damaged)
      let (ending, statuses) = try resend()
      #expect(Set(statuses).isSubset(of: ["duplicate"]), "page at \(start)")
      let isServed = ending == .exited(0) && statuses.count == 50
      #expect(ending == .exited(65) || isServed, "page at \(start): \(ending), \(statuses.count)")
      if ending == .exited(65) { refusals += 1 }
    }
    #expect(refusals >= 10)
    try expectIntactAfterRestoration()
  }

  private func expectIntactAfterRestoration() throws {
    try replaceStore(with: intact)
    let (ending, statuses) = try resend()
    #expect(ending == .exited(0))
    #expect(statuses == Array(repeating: "duplicate", count: 50))
  }

  /// Replaces the store's files by one database file.
  private func replaceStore(with bytes: [UInt8]) throws {
    for name in Files.names(in: workspace.state) { unlink(workspace.state + "/" + name) }
    try Files.write(bytes, to: workspace.database)
  }

  /// Starts a service, sends the batch of events again, and stops the service.
  ///
  /// - Returns: how the service ended, and the status of each event; none if it did not answer.
  private func resend() throws -> (ChildProcess.Ending, statuses: [String]) {
    let service = try Service(workspace)
    while !service.isReady && !service.hasEnded { try service.readOutput() }
    var statuses: [String] = []
    if !service.hasEnded, let reply = try? service.ask("POST", "/v1/events", batch) {
      statuses = (reply.body["items"]?.arrayValue ?? []).compactMap { $0["status"]?.stringValue }
    }
    let ending = try service.stop()
    if case .killed = ending { Issue.record("the service crashed; its log:\n\(service.log)") }
    return (ending, statuses)
  }
}
