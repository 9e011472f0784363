import Foundation
import Outbox
import Sinks
import Testing

/// Rule D3: no answer of a receiver can end the process or keep a sink from its next delivery.
/// `CHIMED_ANSWERS=1000` runs 1,000 seeds for each client, and `CHIMED_SEED=17` runs that seed
/// alone.
@Suite(.timeLimit(.minutes(10))) struct AnswerGrammarTests {
  private static let concurrency = 8

  private static var seeds: [UInt64] {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["CHIMED_SEED"].flatMap({ UInt64($0) }) { return [seed] }
    let count = environment["CHIMED_ANSWERS"].flatMap { Int($0) } ?? 40
    let first = UInt64.random(in: 0...UInt64(UInt32.max))
    return (0..<UInt64(count)).map { first + $0 }
  }

  @Test(arguments: AnswerPlay.Client.allCases)
  func `D3: any answer gives one result, and the sink continues`(
    _ client: AnswerPlay.Client
  ) async throws {
    let seeds = Self.seeds
    print("answers to \(client): \(seeds.count) seeds from \(seeds.first ?? 0) on")
    let play = try await AnswerPlay(client)
    let findings = try await withThrowingTaskGroup(of: [String].self) { group in
      var remaining = seeds[...]
      var findings: [String] = []
      for _ in 0..<Self.concurrency {
        if let seed = remaining.popFirst() { group.addTask { try await play.play(seed: seed) } }
      }
      while let playFindings = try await group.next() {
        findings += playFindings
        if let seed = remaining.popFirst() { group.addTask { try await play.play(seed: seed) } }
      }
      return findings
    }
    #expect(findings == [])
  }
}
