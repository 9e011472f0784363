import JSON

/// Reports events over one connection, one request at a time.
final class Sender {
  let connection: Connection
  private var inProgress: [Int] = []

  init(to socket: String) throws {
    connection = try Connection(to: socket)
  }

  var isIdle: Bool { inProgress.isEmpty }

  /// Begins a request that reports these events.
  func begin(_ numbers: [Int], _ ledger: inout Ledger) {
    inProgress = numbers
    let events = numbers.map { ledger.send($0) }
    connection.begin("POST", "/v1/events", events.count == 1 ? events[0] : Report.batch(events))
  }

  /// Records the answers of the reply, if it is complete.
  ///
  /// - Returns: the number of answered events.
  func receive(_ ledger: inout Ledger) throws -> Int {
    guard let reply = try connection.receive() else { return 0 }
    let numbers = inProgress
    inProgress = []
    let items = reply.body["items"]?.arrayValue ?? [reply.body]
    guard [200, 202].contains(reply.status), items.count == numbers.count else {
      for number in numbers { ledger.leaveUnanswered(number) }
      return 0
    }
    for (number, item) in zip(numbers, items) {
      ledger.recordAnswer(number, item["status"]?.stringValue ?? "answered with \(item)")
    }
    return numbers.count
  }

  /// Records that the events of the current request are unanswered.
  func giveUp(_ ledger: inout Ledger) {
    for number in inProgress { ledger.leaveUnanswered(number) }
    inProgress = []
  }
}
