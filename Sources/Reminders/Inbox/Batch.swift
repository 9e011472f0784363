package import CivilTime

/// The rule that combines several events of a type into one notification (rule N2).
package struct BatchRule: Sendable {
  /// The fields that the events must have in common.
  package var fields: [Symbol]
  /// The span after the first event in which events are combined.
  package var window: TimeSpan
  /// The list field whose elements are counted.
  package var countedField: Symbol

  /// Returns the common values of a batch's events as one text. Each value follows its length, so
  /// that different lists of values have different texts.
  func subject(_ details: [Detail]) -> ExactText {
    let values = fields.map { field in
      let value = details.first { $0.field == field }?.value.identity ?? ""
      return "\(value.utf8.count):\(value)"
    }
    return ExactText(values.joined())
  }

  func tally(_ details: [Detail]) -> Tally {
    for detail in details where detail.field == countedField {
      if case .tally(let tally) = detail.value { return tally }
    }
    return Tally(counts: [])
  }
}

extension Detail.Value {
  /// A text that distinguishes the value from other values of its kind.
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

/// The events that are combined into one notification so far.
package struct Batch: Hashable, Sendable {
  package var reminder: Symbol
  /// The values that the events have in common by the rule.
  package var subject: ExactText
  /// The key of the occurrence that opened the batch.
  package var opener: Int64
  /// The earliest planned instant; `latest` is the last planned instant.
  package var opened: Instant
  package var latest: Instant
  package var tally: Tally
  /// Whether the recipient has read the notification, so that later events begin another batch.
  package var isClosed = false

  /// Returns whether an occurrence with the batch's subject belongs to the batch. The occurrence of
  /// a late report may precede the first occurrence, if all occurrences fit into the window.
  func accepts(_ planned: Instant, _ window: TimeSpan) -> Bool {
    !isClosed && max(latest, planned) - min(opened, planned) < window
  }

  /// Returns whether the batch sorts, in the stored order, before the batches of a reminder and a
  /// subject.
  func isBefore(_ otherReminder: Symbol, _ other: ExactText) -> Bool {
    reminder == otherReminder ? subject < other : reminder < otherReminder
  }

  mutating func add(_ planned: Instant, _ tally: Tally) {
    opened = min(opened, planned)
    latest = max(latest, planned)
    self.tally.add(tally)
  }

  func contains(_ planned: Instant) -> Bool { (opened...latest).contains(planned) }
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
