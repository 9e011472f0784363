import JSON
import TestSupport
import Testing

@testable import API
@testable import Engine

@Suite struct EventDivisionTests {
  private static let peers = ["b", "c", "d"].map { FleetPeer(name: $0, address: "\($0):1") }

  /// A result whose detail identifies its event.
  private func result(_ index: Int) -> EventAnswer.Result {
    .refused(Problem(.unavailable, "\(index)"))
  }

  private func details(_ results: [EventAnswer.Result]) -> [String] {
    results.map { result in
      if case .refused(let problem) = result { problem.detail } else { "" }
    }
  }

  @Test func `F3: each event goes to one node and results keep their order`() {
    let seed = UInt64.random(in: 0 ... .max)
    var generator = SplitMix64(seed: seed)
    for _ in 0..<200 {
      let count = Int.random(in: 0..<40, using: &generator)
      let peers = (0..<count).map { _ in
        Bool.random(using: &generator) ? nil : Self.peers.randomElement(using: &generator)
      }
      var division = EventDivision(peers)
      let indices = division.parts.map(\.indices) + [division.ownIndices]
      #expect(indices.flatMap(\.self).sorted() == Array(0..<count), "seed \(seed)")
      for part in division.parts {
        #expect(part.indices == part.indices.sorted(), "seed \(seed)")
        #expect(part.indices.allSatisfy { peers[$0] == part.peer }, "seed \(seed)")
      }
      for indices in indices.shuffled(using: &generator) {
        division.store(indices.map(result), at: indices)
      }
      #expect(details(division.results) == (0..<count).map { "\($0)" }, "seed \(seed)")
    }
  }

  @Test func `F3: a peer's results are read, and invalid ones become refusals`() {
    let items = """
      {"items":[{"index":0,"id":"e","status":"accepted"},{"index":1,"status":"duplicate"},
      {"index":2,"status":"refused","problem":{"type":"urn:chimed:problem:conflicting-event",
      "title":"","status":409,"detail":"no","path":"id"}}],"accepted":1}
      """
    let results = PeerBatchResponse(status: 207, body: Array(items.utf8)).results(
      of: 3, from: Self.peers[0])
    #expect(results.map(\.name) == ["accepted", "duplicate", "refused"])
    if case .refused(let problem) = results[2] {
      #expect(problem.kind == .conflictingEvent)
      #expect(problem.path == "id")
    }
    for (status, body) in [(200, items), (200, "[]"), (502, "x"), (200, "{\"items\":[1,2]}")] {
      let invalidResults = PeerBatchResponse(status: status, body: Array(body.utf8))
        .results(of: 2, from: Self.peers[0])
      #expect(invalidResults.map(\.name) == ["refused", "refused"])
    }
    let fullDiskProblem = #"{"type":"urn:chimed:problem:storage-full","detail":"the disk is full"}"#
    let refused = PeerBatchResponse(status: 507, body: Array(fullDiskProblem.utf8)).results(
      of: 2, from: Self.peers[0])
    #expect(details(refused) == ["the disk is full", "the disk is full"])
  }
}
