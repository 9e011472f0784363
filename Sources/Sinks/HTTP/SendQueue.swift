package import Outbox

/// Decides which delivery of a batch is sent next, and collects the results.
package struct SendQueue: Sendable {
  /// The maximum number of deliveries in flight.
  private let concurrency: Int
  /// The results by the index of the delivery; nil before the delivery has one.
  private var results: [SendResult?]
  private var startedCount = 0
  private var inFlightCount = 0
  private var answeredCount = 0
  /// The number of consecutive misses: deliveries whose result is `unreachable`.
  private var misses = 0
  /// The reason for the last miss.
  private var missReason = ""

  package init(count: Int, concurrency: Int) {
    self.concurrency = concurrency
    results = Array(repeating: nil, count: count)
  }

  /// Whether all deliveries have been started.
  package var areAllStarted: Bool { startedCount == results.count }

  /// Whether any delivery will still be started, now or when there is capacity.
  package var hasNext: Bool { !areAllStarted && !isCutOff }

  /// Returns the index of the next delivery to start now; nil if there is none or no capacity.
  package mutating func next() -> Int? {
    guard hasNext, inFlightCount < concurrency else { return nil }
    defer { startedCount += 1 }
    inFlightCount += 1
    return startedCount
  }

  /// Whether no further delivery is started, because the remote seems unreachable. Before the first
  /// answer, one miss suffices. Later, the consecutive misses have to reach `concurrency`.
  private var isCutOff: Bool { misses >= (answeredCount == 0 ? 1 : concurrency) }

  package mutating func recordResult(at index: Int, _ result: SendResult) {
    inFlightCount -= 1
    results[index] = result
    switch result {
    case .answered:
      answeredCount += 1
      misses = 0
    case .unreachable(let reason):
      misses += 1
      missReason = reason
    }
  }

  /// - Throws: an outage if nothing was answered.
  package func answers() throws(SinkOutage) -> [SinkAnswer] {
    guard answeredCount > 0 || results.isEmpty else { throw SinkOutage(missReason) }
    return results.map { result in
      switch result {
      case .answered(let answer): answer
      case .unreachable(let reason): .retry(after: nil, reason: reason)
      case nil: .retry(after: nil, reason: missReason)
      }
    }
  }
}
