import CivilTime

extension Situation {
  /// What is planned for each thing that an event speaks of, whether past or to come.
  ///
  /// What would have been said before a thing was told of is not said: who books for this afternoon
  /// need not hear of it a day before.
  ///
  /// - Parameter isRetold: whether that is no matter, for a thing may have been told of again since
  ///   something was planned for it.
  func occurrences(_ trigger: ItemTrigger, isRetold: Bool = false) -> [Occurrence] {
    var occurrences: [Occurrence] = []
    for index in facts.items(of: trigger.event)
    where !isCancelled(facts.items[index], by: trigger.cancelledBy) {
      append(trigger, item: index, to: &occurrences)
    }
    guard !isRetold else { return occurrences }
    if case .after = trigger.timing { return occurrences }
    return occurrences.filter { $0.planned > facts.items[$0.item ?? 0].stamp.time }
  }

  private func append(_ trigger: ItemTrigger, item: Int, to occurrences: inout [Occurrence]) {
    switch trigger.timing {
    case .after(let delay): appendAfter(delay, item: item, to: &occurrences)
    case .hoursBefore(let field, let hours):
      for count in hours.numbers(settings) {
        appendBefore(field, .hours(Int(count)), item: item, number: count, to: &occurrences)
      }
    case .spansBefore(let field, let spans):
      for span in spans {
        let hours = span.milliseconds / TimeSpan.hours(1).milliseconds
        appendBefore(field, span, item: item, number: hours, to: &occurrences)
      }
    case .datesBefore(let field, let days, let time):
      for count in days.numbers(settings) {
        appendBefore(
          field, days: count, at: time.time(settings), item: item, to: &occurrences)
      }
    }
  }

  /// One for each thing, however often it is told of.
  private func appendAfter(_ delay: Delay, item: Int, to occurrences: inout [Occurrence]) {
    let stamp = facts.items[item].stamp
    occurrences.append(
      Occurrence(
        key: facts.items[item].occurrenceKey, planned: planned(delay, after: stamp.time),
        number: number(delay), cause: stamp, item: item))
  }

  private func appendBefore(
    _ field: Symbol, _ span: TimeSpan, item: Int, number: Int64,
    to occurrences: inout [Occurrence]
  ) {
    guard let instant = facts.items[item].instant(field) else { return }
    append(
      item: item, instant, planned: instant - span, advance: span.milliseconds, number: number,
      to: &occurrences)
  }

  private func appendBefore(
    _ field: Symbol, days: Int64, at time: LocalTime, item: Int,
    to occurrences: inout [Occurrence]
  ) {
    guard let instant = facts.items[item].instant(field) else { return }
    let date = zone.date(at: instant) - Int(clamping: days)
    append(
      item: item, instant, planned: zone.instant(of: date, at: time), advance: -1 - days,
      number: days, to: &occurrences)
  }

  /// What would come after the instant is not said. Its key holds the instant, so that what is put
  /// off is reminded of anew.
  private func append(
    item: Int, _ instant: Instant, planned: Instant, advance: Int64, number: Int64,
    to occurrences: inout [Occurrence]
  ) {
    let stamp = facts.items[item].stamp
    guard planned <= instant else { return }
    let time = mixed(UInt64(bitPattern: instant.milliseconds))
    let code = mixed(facts.items[item].code ^ time) ^ mixed(UInt64(bitPattern: advance))
    occurrences.append(
      Occurrence(
        key: Int64(code >> 1), planned: planned, number: number, cause: stamp, item: item))
  }

  // MARK: - Cancelling

  /// Whether a later event has taken an item back.
  private func isCancelled(_ item: Item, by cancellations: [Cancellation]) -> Bool {
    cancellations.contains { isCancelled(item.stamp, of: item.identifier, by: $0) }
  }

  /// - Parameter identifier: what the event of the stamp is about.
  func isCancelled(
    _ stamp: Stamp, of identifier: String?, by cancellation: Cancellation
  ) -> Bool {
    guard cancellation.isOfOne, let identifier else {
      return facts.mark(cancellation.event).map { $0.last > stamp } ?? false
    }
    return facts.item(cancellation.event, identifier).map {
      cancellation.isWhenever || $0.stamp > stamp
    } ?? false
  }
}

extension Situation {
  /// An event's occurrence of a reminder, and what its message says of the event.
  package func subject(
    of reminder: Reminder, key: Int64
  ) -> (number: Int64?, details: Details?) {
    let occurrences = occurrences(reminder, isRetold: true)
    guard let occurrence = occurrences.first(where: { $0.key == key }) else {
      return (nil, nil)
    }
    return (occurrence.number, details(of: occurrence))
  }

  /// What the event said that an occurrence is about.
  package func details(of occurrence: Occurrence) -> Details? {
    occurrence.item.map { Details(values: facts.items[$0].details, zone: zone) }
  }
}
