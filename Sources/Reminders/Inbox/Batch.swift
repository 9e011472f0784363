package import CivilTime

/// Which events of a type are told of as one (rule N2).
package struct BatchRule: Sendable {
  /// The fields that these events have in common.
  package var by: [Symbol]
  /// How long after the first of them.
  package var window: TimeSpan
  /// The field that is counted.
  package var counted: Symbol

  /// A number for what the events of a batch have in common.
  func code(_ details: [Detail]) -> UInt64 {
    by.reduce(0) { code, field in
      let value = details.first { $0.field == field }?.value
      return mixed(code ^ stableHash(value?.identity ?? ""))
    }
  }

  func tally(_ details: [Detail]) -> Tally {
    for detail in details where detail.field == counted {
      if case .tally(let tally) = detail.value { return tally }
    }
    return Tally(counts: [])
  }
}

extension Detail.Value {
  /// What tells it from others of its kind.
  fileprivate var identity: String {
    switch self {
    case .text(let text): text
    case .person(let person): person.id
    case .place(let place): place.id
    case .instant(let instant): "\(instant.milliseconds)"
    case .number(let number): "\(number)"
    case .flag(let flag): "\(flag)"
    case .tally: ""
    }
  }
}

/// Events that are told of as one, as far as they have come.
package struct Batch: Hashable, Sendable {
  package var reminder: Symbol
  /// What they have in common, as their rule has it.
  package var code: UInt64
  /// The occurrence that opened it.
  package var opener: Int64
  /// The earliest and the latest planned instant of them.
  package var opened: Instant
  package var latest: Instant
  package var tally: Tally
  /// Whether the person has read of it: what comes then is news.
  package var isClosed = false

  /// Whether an occurrence belongs to it. One that was reported late may have come before the
  /// first, if all are still within the window.
  func takes(_ planned: Instant, _ reminder: Symbol, _ code: UInt64, _ window: TimeSpan) -> Bool {
    !isClosed && self.reminder == reminder && self.code == code
      && max(latest, planned) - min(opened, planned) < window
  }

  mutating func add(_ planned: Instant, _ tally: Tally) {
    opened = min(opened, planned)
    latest = max(latest, planned)
    self.tally.add(tally)
  }

  func holds(_ planned: Instant) -> Bool { (opened...latest).contains(planned) }
}
