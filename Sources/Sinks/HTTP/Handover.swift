package import Outbox
package import Reminders
internal import Synchronization

/// What became of one delivery on its way to a remote.
package enum Handover: Sendable {
  case answered(SinkAnswer)
  /// It was not handed over, for a reason that holds for all.
  case unreachable(String)

  /// Hands deliveries over, several at once, and answers for each in order.
  ///
  /// - Parameters:
  ///   - slots: one of them is taken by each that is under way.
  ///   - executor: whose thread does it.
  /// - Throws: that none could be handed over.
  package static func all(
    _ deliveries: [Delivery], in slots: Slots, _ progress: BatchProgress,
    on executor: any TaskExecutor, hand: @escaping @Sendable (Delivery) async -> Handover
  ) async throws(SinkOutage) -> [SinkAnswer] {
    let round = HandoverRound(count: deliveries.count, slots, progress)
    await withTaskExecutorPreference(executor) {
      await withDiscardingTaskGroup { group in
        while let index = await round.next() {
          group.addTask { round.finished(index, await hand(deliveries[index])) }
        }
      }
    }
    return try round.answers()
  }
}

/// A batch on its way, shared by those who carry it.
private final class HandoverRound: Sendable {
  private let queue: Mutex<HandoverQueue>
  private let slots: Slots
  private let progress: BatchProgress

  init(count: Int, _ slots: Slots, _ progress: BatchProgress) {
    queue = Mutex(HandoverQueue(count: count, concurrency: slots.count))
    (self.slots, self.progress) = (slots, progress)
  }

  /// The next one to start, when there is room; nil once none is to be started.
  func next() async -> Int? {
    guard queue.withLock({ $0.hasNext }) else { return end() }
    await slots.take()
    // It may have been cut off meanwhile.
    if let index = queue.withLock({ $0.next() }) { return index }
    slots.giveBack()
    return end()
  }

  private func end() -> Int? {
    if queue.withLock({ $0.isBegun }) { progress.everythingIsUnderWay(in: slots) }
    return nil
  }

  func finished(_ index: Int, _ handover: Handover) {
    queue.withLock { $0.finished(index, handover) }
    if case .answered(let answer) = handover { progress.answer(index, answer) }
    slots.giveBack()
  }

  func answers() throws(SinkOutage) -> [SinkAnswer] { try queue.withLock { $0 }.answers() }
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

  /// Whether all have been started.
  package var isBegun: Bool { started == handovers.count }

  /// Whether one is to be started, now or when there is room.
  package var hasNext: Bool { !isBegun && !isCutOff }

  /// The next one to start now.
  package mutating func next() -> Int? {
    guard hasNext, underWay < concurrency else { return nil }
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
