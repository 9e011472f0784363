package import Outbox
package import Reminders

/// What became of one delivery on its way to a remote.
package enum Handover: Sendable {
  case answered(SinkAnswer)
  /// It was not handed over, for a reason that holds for all.
  case unreachable(String)

  /// Hands deliveries over, several at once, and answers for each in order.
  ///
  /// - Parameters:
  ///   - concurrency: how many are under way at once.
  ///   - executor: whose thread does it.
  /// - Throws: that none could be handed over.
  package static func all(
    _ deliveries: [Delivery], concurrency: Int, on executor: any TaskExecutor,
    hand: @escaping @Sendable (Delivery) async -> Handover
  ) async throws(SinkOutage) -> [SinkAnswer] {
    let queue = await withTaskExecutorPreference(executor) {
      await withTaskGroup(of: (Int, Handover).self) { group in
        var queue = HandoverQueue(count: deliveries.count, concurrency: concurrency)
        repeat {
          while let index = queue.next() {
            group.addTask { (index, await hand(deliveries[index])) }
          }
          guard let (index, handover) = await group.next() else { break }
          queue.finished(index, handover)
        } while true
        return queue
      }
    }
    return try queue.answers()
  }
}

/// Which delivery is handed over next, and what they came to.
package struct HandoverQueue: Sendable {
  private let concurrency: Int
  private var handovers: [Handover?]
  private var started = 0
  private var underWay = 0
  private var answered = 0
  /// How many in a row did not reach the other side, and why.
  private var misses = 0
  private var reason = ""

  package init(count: Int, concurrency: Int) {
    self.concurrency = concurrency
    handovers = Array(repeating: nil, count: count)
  }

  /// The next one to start now.
  package mutating func next() -> Int? {
    guard started < handovers.count, underWay < concurrency, !isCutOff else { return nil }
    defer { started += 1 }
    underWay += 1
    return started
  }

  /// Whether it is no use to try further: nobody has answered yet and somebody was not reached, or
  /// lately as many in a row as are under way at once.
  private var isCutOff: Bool { misses >= (answered == 0 ? 1 : concurrency) }

  package mutating func finished(_ index: Int, _ handover: Handover) {
    underWay -= 1
    handovers[index] = handover
    switch handover {
    case .answered:
      answered += 1
      misses = 0
    case .unreachable(let reason):
      misses += 1
      self.reason = reason
    }
  }

  /// - Throws: that there is not one answer.
  package func answers() throws(SinkOutage) -> [SinkAnswer] {
    guard answered > 0 || handovers.isEmpty else { throw SinkOutage(reason) }
    return handovers.map { handover in
      switch handover {
      case .answered(let answer): answer
      case .unreachable(let reason): .retry(after: nil, reason: reason)
      case nil: .retry(after: nil, reason: reason)
      }
    }
  }
}
