import Engine
import Outbox
import Reminders

/// A sink that answers part of a batch and works on the rest (rule D3).
extension Life {
  func isToHaveStragglers(_ batch: Outside.Batch) -> Bool {
    guard batch.deliveries.count > 1 else { return false }
    return trouble == .stragglers || trouble == nil && isOne(in: 3)
  }

  /// Answers about half of a batch.
  func answerInPart(to batch: Outside.Batch) {
    var isLate = batch.deliveries.map { _ in isOne(in: 2) }
    // At least one of each kind.
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

  /// Answers stragglers, one time in four while the trouble lasts.
  ///
  /// - Returns: whether there were any.
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
