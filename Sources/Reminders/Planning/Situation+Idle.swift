import CivilTime

extension Situation {
  /// The occurrence for the silence since the latest of the events, or since the recipient is
  /// known.
  func occurrence(_ trigger: IdleTrigger) -> Occurrence? {
    guard let count = trigger.count.numbers(settings).first, count > 0 else { return nil }
    let last = facts.latest(of: trigger.events)
    guard let start = last ?? facts.created else { return nil }
    let length = count * trigger.factor
    // That the recipient is known for longer than was thought is no new silence.
    return Occurrence(
      key: last?.time.milliseconds ?? 0, planned: start.time + trigger.unit * Int(length),
      number: length, cause: last)
  }
}
