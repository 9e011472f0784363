package import CivilTime

/// Which events of a type are told of as one (rule N2).
package struct BatchRule: Sendable {
  /// The fields that these events have in common.
  package var by: [Symbol]
  /// How long after the first of them.
  package var window: TimeSpan
  /// The field that is counted.
  package var counted: Symbol

  /// What the events of a batch have in common: of each field its value behind its length, so that
  /// no two lists of values are written alike.
  func subject(_ details: [Detail]) -> ExactText {
    let values = by.map { field in
      let value = details.first { $0.field == field }?.value.identity ?? ""
      return "\(value.utf8.count):\(value)"
    }
    return ExactText(values.joined())
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
    case .decimal(let number): "\(number)"
    case .flag(let flag): "\(flag)"
    case .tally: ""
    }
  }
}

/// Events that are told of as one, as far as they have come.
package struct Batch: Hashable, Sendable {
  package var reminder: Symbol
  /// What they have in common, as their rule has it.
  package var subject: ExactText
  /// The occurrence that opened it.
  package var opener: Int64
  /// The earliest and the latest planned instant of them.
  package var opened: Instant
  package var latest: Instant
  package var tally: Tally
  /// Whether the person has read of it: what comes then is news.
  package var isClosed = false

  /// Whether an occurrence of its subject belongs to it. One that was reported late may have come
  /// before the first, if all are still within the window.
  func takes(_ planned: Instant, _ window: TimeSpan) -> Bool {
    !isClosed && max(latest, planned) - min(opened, planned) < window
  }

  /// Whether it stands before those of a reminder and a subject: the order in which they are kept.
  func isBefore(_ otherReminder: Symbol, _ other: ExactText) -> Bool {
    reminder == otherReminder ? subject < other : reminder < otherReminder
  }

  mutating func add(_ planned: Instant, _ tally: Tally) {
    opened = min(opened, planned)
    latest = max(latest, planned)
    self.tally.add(tally)
  }

  func holds(_ planned: Instant) -> Bool { (opened...latest).contains(planned) }
}

extension Batch {
  func write(to writer: inout ByteWriter) {
    writer.symbol(reminder)
    writer.text(subject.text)
    writer.signed(opener)
    writer.signed(opened.milliseconds)
    writer.signed(latest.milliseconds)
    writer.count(isClosed ? 1 : 0)
    tally.write(to: &writer)
  }

  init(from reader: inout ByteReader) throws(CodingFailure) {
    reminder = try reader.symbol()
    subject = ExactText(try reader.text())
    opener = try reader.signed()
    let (opened, latest) = (try reader.signed(), try reader.signed())
    self.opened = Instant(milliseconds: min(opened, latest))
    self.latest = Instant(milliseconds: max(opened, latest))
    isClosed = try reader.count() == 1
    tally = try Tally(from: &reader)
  }
}
