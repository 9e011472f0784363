import Engine
import Outbox
import Reminders

/// A sink that answers part of a batch and works on the rest (rule D3).
extension Life {
  /// Returns whether the sink shall answer only part of a batch.
  func shouldHaveStragglers(_ batch: Outside.Batch) -> Bool {
    guard batch.deliveries.count > 1 else { return false }
    return trouble == .stragglers || trouble == nil && isOne(in: 3)
  }

  /// Answers about half of the deliveries of a batch, or of a beginning of the batch.
  func answerInPart(to batch: Outside.Batch) {
    let count = batch.deliveries.count
    let end = isOne(in: 2) ? count : randomEnd(in: batch)
    var isLate = batch.deliveries[..<end].map { _ in isOne(in: 2) }
    // At least one delivery is answered now, and at least one later.
    isLate[0] = false
    if end == count { isLate[end - 1] = true }
    let indices = 0..<end
    if end < count {
      outside.keep(Outside.Batch(lane: batch.lane, deliveries: Array(batch.deliveries[end...])))
    }
    receive(indices.filter { !isLate[$0] }.map { batch.deliveries[$0] })
    let rest = outside.keep(indices.filter { isLate[$0] }.map { batch.deliveries[$0] }, of: batch)
    process?.requestQueue.post(
      .sinkAnsweredInPart(
        lane: batch.lane, indices.map { isLate[$0] ? nil : .delivered }, stragglers: rest,
        freesLane: end == count))
    tally.parts += 1
  }

  /// Returns a random index between two notifications of a batch, or the end of the batch.
  private func randomEnd(in batch: Outside.Batch) -> Int {
    var end = Int.random(in: 1..<batch.deliveries.count, using: &random)
    while end < batch.deliveries.count,
      batch.deliveries[end].notification == batch.deliveries[end - 1].notification
    {
      end += 1
    }
    return end
  }

  /// Answers all stragglers. During the trouble with stragglers, does so only one time in four.
  ///
  /// - Returns: whether any straggler was answered.
  func answerRests() -> Bool {
    guard !outside.rests.isEmpty, trouble != .stragglers || isOne(in: 4) else { return false }
    for rest in outside.removeRests() {
      guard let number = rest.restNumber else { continue }
      let isOutage = isOne(in: 8)
      if !isOutage { receive(rest.deliveries) }
      process?.requestQueue.post(
        .stragglersAnswered(
          lane: rest.lane, stragglers: number,
          isOutage
            ? .failure(SinkOutage("gone")) : .success(rest.deliveries.map { _ in .delivered })))
    }
    return true
  }

  private func isOne(in count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }
}
