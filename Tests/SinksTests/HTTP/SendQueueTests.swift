import Outbox
import Sinks
import Testing

/// Sending a batch to a remote, several deliveries at once.
@Suite struct SendQueueTests {
  private static let connectionRefused = SendResult.unreachable(
    "connecting failed: Connection refused")

  /// Sends the deliveries of a queue: starts as many as possible, then finishes the oldest one with
  /// the result of `outcome`, and repeats this until none is in progress.
  private func run(
    _ count: Int, concurrency: Int, _ outcome: (Int) -> SendResult
  ) throws -> (startOrder: [Int], answers: [SinkAnswer]) {
    var queue = SendQueue(count: count, concurrency: concurrency)
    var startOrder: [Int] = []
    var inProgress: [Int] = []
    repeat {
      while let index = queue.next() {
        startOrder.append(index)
        inProgress.append(index)
      }
      #expect(inProgress.count <= concurrency)
      guard !inProgress.isEmpty else { break }
      let index = inProgress.removeFirst()
      queue.recordResult(at: index, outcome(index))
    } while true
    return (startOrder, try queue.answers())
  }

  @Test(arguments: [1, 2, 5, 9])
  func `every delivery is answered in order`(concurrency: Int) throws {
    let (startOrder, answers) = try run(7, concurrency: concurrency) {
      .answered(.rejected(reason: "\($0)"))
    }
    #expect(startOrder == Array(0..<7))
    #expect(answers == (0..<7).map { .rejected(reason: "\($0)") })
  }

  @Test func `an empty batch has no answers`() throws {
    #expect(try run(0, concurrency: 3) { _ in Self.connectionRefused }.answers == [])
  }

  @Test func `an unreachable remote is an outage after the first tries`() {
    var attemptCount = 0
    let outage = #expect(throws: SinkOutage.self) {
      try run(100, concurrency: 4) { _ in
        attemptCount += 1
        return Self.connectionRefused
      }
    }
    #expect(outage?.description == "connecting failed: Connection refused")
    #expect(attemptCount == 4)
  }

  @Test func `an unreachable delivery is retried and the others continue`() throws {
    let (startOrder, answers) = try run(10, concurrency: 2) {
      $0 == 3 ? Self.connectionRefused : .answered(.delivered)
    }
    #expect(startOrder.count == 10)
    #expect(answers.count(where: \.isDelivered) == 9)
    #expect(
      answers[3] == .retry(after: nil, reason: "connecting failed: Connection refused"))
  }

  @Test func `after the remote becomes unreachable, the rest is retried`() throws {
    let (startOrder, answers) = try run(100, concurrency: 4) {
      $0 < 20 ? .answered(.delivered) : Self.connectionRefused
    }
    #expect(startOrder.count < 30)
    #expect(answers.count(where: \.isDelivered) == 20)
    #expect(
      answers[99] == .retry(after: nil, reason: "connecting failed: Connection refused"))
  }
}
