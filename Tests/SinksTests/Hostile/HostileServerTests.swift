import Outbox
import Reminders
import Sinks
import Testing

/// Rule D3: no server can keep a sink beyond its deadline, delay others, fill memory or redirect
/// the sink.
@Suite(.timeLimit(.minutes(2))) struct HostileServerTests {
  @Test(arguments: HostileCase.all)
  func `D3: each fault has its own result and other deliveries arrive`(_ hostile: HostileCase)
    async throws
  {
    let peer = try await hostile.peer()
    let sink = try peer.sink(deadline: "2s")
    let faults = [nil] + peer.serverFaults.map { ServerFault?.some($0) } + [nil]
    var deliveries: [Delivery] = []
    for (number, fault) in faults.enumerated() {
      deliveries.append(try await peer.delivery(Int64(number), meeting: fault))
    }
    let answers = try await sink.deliver(deliveries)
    try #require(answers.count == faults.count)
    for (fault, answer) in zip(faults, answers) {
      let isAccepted = fault.map(peer.acceptedFaults.contains) ?? true
      #expect(answer.isDelivered == isAccepted, "\(fault as Any): \(answer.verdict)")
      #expect(answer.isRetry == (!isAccepted && fault != .redirect), "\(fault as Any)")
    }
    // The sink still works.
    var others: [Delivery] = []
    for number: Int64 in 100...109 { others.append(try await peer.delivery(number, meeting: nil)) }
    #expect(try await sink.deliver(others).map(\.isDelivered) == others.map { _ in true })
  }

  @Test(arguments: HostileCase.all)
  func `a server without a valid certificate gets nothing`(_ hostile: HostileCase) async throws {
    let peer = try await hostile.peer()
    let sink = try peer.distrustingSink()
    var deliveries: [Delivery] = []
    for number: Int64 in 1...3 { deliveries.append(try await peer.delivery(number, meeting: nil)) }
    let outage = await #expect(throws: SinkOutage.self) { try await sink.deliver(deliveries) }
    #expect(outage?.description.contains("certificate") == true, "\(outage as Any)")
    #expect(try await peer.receivedCount == 0)
  }

  @Test(arguments: HostileCase.all)
  func `D3: a server that accepts connections and is silent is an outage`(_ hostile: HostileCase)
    async throws
  {
    let peer = try await hostile.peer()
    let silent = try SilentServer()
    let sink = try peer.sink(to: silent)
    let delivery = try await peer.delivery(1, meeting: nil)
    let start = ContinuousClock.now
    await #expect(throws: SinkOutage.self) { try await sink.deliver([delivery]) }
    #expect(ContinuousClock.now - start < .seconds(30))
    withExtendedLifetime(silent) {}
  }

  /// Runs in its own process, because other tests use memory at the same time.
  @Test func `endless answers use less than 32 MB of memory`() async {
    await #expect(processExitsWith: .success) {
      for hostile in HostileCase.all {
        let peer = try await hostile.peer()
        let sink = try peer.sink(deadline: "1s")
        var firstRoundPeak = 0
        for round: Int64 in 0..<3 {
          var batch: [Delivery] = []
          for number in 0..<Int64(8) {
            batch.append(try await peer.delivery(round * 8 + number, meeting: .endless))
          }
          _ = try await sink.deliver(batch)
          // The memory of the first round stays allocated.
          if round == 0 { firstRoundPeak = PeakMemory.kilobytes }
        }
        #expect(PeakMemory.kilobytes - firstRoundPeak < 32_000, "\(hostile)")
      }
    }
  }
}
