import Delivery

/// A batch on its way to a mail server: what is next, and what came of each.
struct MailRound {
  private var answers: [SinkAnswer?]
  /// Those that are under way nowhere and have no answer, the next one last.
  private var waiting: [Int]
  private var outage: SinkOutage?
  private var wasServerReached = false

  init(count: Int) {
    answers = Array(repeating: nil, count: count)
    waiting = (0..<count).reversed()
  }

  /// Whether there is nothing to begin.
  var isBegun: Bool { waiting.isEmpty }

  /// The next one to begin.
  mutating func next() -> Int? { waiting.popLast() }

  /// One that was begun is done with.
  mutating func settle(_ index: Int, _ answer: SinkAnswer) {
    answers[index] = answer
  }

  /// What the server said to one that was begun.
  ///
  /// - Returns: whether its connection is good for more. One that is not leaves the mail to the
  ///   others: a server may let in fewer than we would make.
  mutating func finish(_ index: Int, _ verdict: MailVerdict) -> Bool {
    switch verdict {
    case .answer(let answer):
      wasServerReached = true
      settle(index, answer)
      return true
    case .outage(let outage):
      self.outage = outage
      waiting.append(index)
      return false
    }
  }

  /// An outage after some were handed over is theirs alone who were not.
  func result() throws(SinkOutage) -> [SinkAnswer] {
    if let outage, !wasServerReached, !waiting.isEmpty { throw outage }
    let reason = outage?.description ?? "the mail server was not asked"
    return answers.map { $0 ?? .retry(after: nil, reason: reason) }
  }
}
