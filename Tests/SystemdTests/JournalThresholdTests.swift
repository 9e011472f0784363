import Systemd
import Testing

@Suite struct JournalThresholdTests {
  @Test(arguments: JournalPriority.allCases)
  func `entries below the threshold are not written`(priority: JournalPriority) throws {
    let threshold = JournalThreshold()
    threshold.priority = priority
    let log = try Pipe()
    let journal = Journal(log.destination, threshold: threshold)
    for other in JournalPriority.allCases { journal.send(message: "\(other)", priority: other) }
    let expected = JournalPriority.allCases.prefix(Int(priority.rawValue) + 1)
    #expect(log.lines().map(withoutTimestamp) == expected.map { "\($0): \($0)" })
  }

  @Test func `an unfiltered journal ignores the threshold`() throws {
    let log = try Pipe()
    let journal = Journal(log.destination, threshold: JournalThreshold(.error))
    journal.unfiltered.send(message: "a delivery", priority: .notice)
    journal.send(message: "a word", priority: .notice)
    #expect(log.lines().map(withoutTimestamp) == ["notice: a delivery"])
  }
}
