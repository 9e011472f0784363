import Store
import Testing

/// Rule H7: the limits of a step of pruning, and chains past removed rows.
@Suite struct PruningStepTests {
  @Test func `H7: a step ends before the row of a seventeenth recipient`() {
    let sixteen = (1...16).map { Int64?($0) }
    #expect(PruningStep.examinedCount(of: []) == 0)
    #expect(PruningStep.examinedCount(of: sixteen + sixteen) == 32)
    #expect(PruningStep.examinedCount(of: sixteen + [nil, 3, 17, 1]) == 18)
    #expect(PruningStep.examinedCount(of: Array(repeating: nil, count: 128)) == 128)
  }

  @Test func `H7: a chain leads past removed rows to the first that stays`() {
    var links = RemovedLinks()
    #expect(links.first == nil && links.remaining.isEmpty)
    links.add(4, previous: 2)
    links.add(6, previous: 4)
    links.add(9, previous: 7)
    #expect(links.first == 4)
    #expect(links.remaining == [2, 7])
    #expect(links.remaining(from: 6) == 2)
    #expect(links.remaining(from: 9) == 7)
    #expect(links.remaining(from: 8) == 8)
    links.add(2, previous: 0)
    #expect(links.remaining == [7])
    #expect(links.remaining(from: 6) == 0)
  }
}
