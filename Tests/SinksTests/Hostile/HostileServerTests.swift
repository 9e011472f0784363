import Outbox
import Reminders
import Sinks
import Testing

/// What no server can do to a sink that speaks to it (rule D3): keep it beyond its deadline, hold
/// up others, fill its memory or lead it elsewhere.
@Suite(.timeLimit(.minutes(2))) struct HostileServerTests {
  @Test(arguments: HostileCase.all)
  func d3EachMeetsItsOwnFateAndTheOthersArrive(_ hostile: HostileCase) async throws {
    let peer = try await hostile.peer()
    let sink = try peer.sink(deadline: "2s")
    let fates = [nil] + peer.mischiefs.map { Mischief?.some($0) } + [nil]
    var deliveries: [Delivery] = []
    for (number, fate) in fates.enumerated() {
      deliveries.append(try await peer.delivery(Int64(number), meeting: fate))
    }
    let answers = try await sink.deliver(deliveries)
    try #require(answers.count == fates.count)
    for (fate, answer) in zip(fates, answers) {
      let isAccepted = fate.map(peer.accepted.contains) ?? true
      #expect(answer.isDelivered == isAccepted, "\(fate as Any): \(answer.verdict)")
      #expect(answer.isRetry == (!isAccepted && fate != .redirect), "\(fate as Any)")
    }
    // The sink is none the worse for it.
    var others: [Delivery] = []
    for number: Int64 in 100...109 { others.append(try await peer.delivery(number, meeting: nil)) }
    #expect(try await sink.deliver(others).map(\.isDelivered) == others.map { _ in true })
  }

  @Test(arguments: HostileCase.all)
  func whoCannotShowWhoTheyAreGetsNothing(_ hostile: HostileCase) async throws {
    let peer = try await hostile.peer()
    let sink = try peer.distrustingSink()
    var deliveries: [Delivery] = []
    for number: Int64 in 1...3 { deliveries.append(try await peer.delivery(number, meeting: nil)) }
    let outage = await #expect(throws: SinkOutage.self) { try await sink.deliver(deliveries) }
    #expect(outage?.description.contains("certificate") == true, "\(outage as Any)")
    #expect(try await peer.count == 0)
  }

  @Test(arguments: HostileCase.all)
  func d3WhoAcceptsConnectionsAndSaysNothingIsAnOutage(_ hostile: HostileCase) async throws {
    let peer = try await hostile.peer()
    let silent = try SilentServer()
    let sink = try peer.sink(to: silent)
    let delivery = try await peer.delivery(1, meeting: nil)
    let start = ContinuousClock.now
    await #expect(throws: SinkOutage.self) { try await sink.deliver([delivery]) }
    #expect(ContinuousClock.now - start < .seconds(30))
    withExtendedLifetime(silent) {}
  }

  /// In a process of its own, as others use memory meanwhile.
  @Test func answersWithoutEndUseNoMemory() async {
    await #expect(processExitsWith: .success) {
      for hostile in HostileCase.all {
        let peer = try await hostile.peer()
        let sink = try peer.sink(deadline: "1s")
        var before = 0
        for round: Int64 in 0..<3 {
          var batch: [Delivery] = []
          for number in 0..<Int64(8) {
            batch.append(try await peer.delivery(round * 8 + number, meeting: .endless))
          }
          _ = try await sink.deliver(batch)
          // What the first round takes is there for good.
          if round == 0 { before = PeakMemory.kilobytes }
        }
        #expect(PeakMemory.kilobytes - before < 32_000, "\(hostile)")
      }
    }
  }
}
