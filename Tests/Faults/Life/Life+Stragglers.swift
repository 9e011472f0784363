import Engine
import Outbox
import Reminders

/// A sink that answers for some of a batch and goes on with the others (rule D3).
extension Life {
  func isToHaveStragglers(_ batch: Outside.Batch) -> Bool {
    guard batch.deliveries.count > 1 else { return false }
    return trouble == .stragglers || trouble == nil && isOne(in: 3)
  }

  /// Answers for about half of a batch.
  func answerInPart(to batch: Outside.Batch) {
    var isLate = batch.deliveries.map { _ in isOne(in: 2) }
    // Some of both.
    isLate[0] = false
    isLate[isLate.count - 1] = true
    let places = batch.deliveries.indices
    receive(places.filter { !isLate[$0] }.map { batch.deliveries[$0] })
    let rest = outside.keep(places.filter { isLate[$0] }.map { batch.deliveries[$0] }, of: batch)
    process?.requestQueue.post(
      .sinkAnsweredInPart(
        lane: batch.lane, places.map { isLate[$0] ? nil : .delivered }, rest: rest))
    tally.parts += 1
  }

  /// Answers for stragglers, one time in four as long as there are to be some.
  ///
  /// - Returns: whether there was anything to answer for.
  func answerRests() -> Bool {
    guard !outside.rests.isEmpty, trouble != .stragglers || isOne(in: 4) else { return false }
    for rest in outside.takeRests() {
      guard let number = rest.rest else { continue }
      let isOutage = isOne(in: 8)
      if !isOutage { receive(rest.deliveries) }
      process?.requestQueue.post(
        .stragglersAnswered(
          lane: rest.lane, rest: number,
          isOutage
            ? .failure(SinkOutage("gone")) : .success(rest.deliveries.map { _ in .delivered })))
    }
    return true
  }

  private func isOne(in count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }
}
