package import CivilTime

/// The rule that combines several events of a type into one notification (rule N2).
package struct BatchRule: Sendable {
  /// The fields that the events must have in common.
  package var fields: [Symbol]
  /// The window of a batch. The span between the batch's earliest and latest occurrences must be
  /// shorter.
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

  /// Returns the counts of an event's objects; empty if the event has no such list.
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
    case .date(let date): "\(date)"
    case .number(let number): "\(number)"
    case .decimal(let number): "\(number)"
    case .flag(let flag): "\(flag)"
    case .tally, .plan: ""
    }
  }
}

/// The events that have been combined into one notification so far.
package struct Batch: Hashable, Sendable {
  package var reminder: Symbol
  /// The values that all the events have in common, as `BatchRule.subject` writes them.
  package var subject: ExactText
  /// The key of the occurrence that opened the batch.
  package var opener: Int64
  /// The earliest planned instant of the occurrences.
  package var earliest: Instant
  /// The latest planned instant of the occurrences.
  package var latest: Instant
  /// The counts of the objects of all events.
  package var tally: Tally
  /// Whether the recipient has read the notification, so that later events begin another batch.
  package var isClosed = false

  /// Returns whether an occurrence with the batch's subject can join the batch. It may precede the
  /// other occurrences, if its report is late, but all must fit into the window.
  func accepts(_ planned: Instant, _ window: TimeSpan) -> Bool {
    !isClosed && max(latest, planned) - min(earliest, planned) < window
  }

  /// Returns whether the batch precedes the batches of a reminder and a subject in the stored
  /// order.
  func isBefore(_ otherReminder: Symbol, _ other: ExactText) -> Bool {
    reminder == otherReminder ? subject < other : reminder < otherReminder
  }

  mutating func add(_ planned: Instant, _ tally: Tally) {
    earliest = min(earliest, planned)
    latest = max(latest, planned)
    self.tally.add(tally)
  }

  func contains(_ planned: Instant) -> Bool { (earliest...latest).contains(planned) }
}

extension Batch {
  func write(to writer: inout ByteWriter) {
    writer.symbol(reminder)
    writer.text(subject.text)
    writer.signed(opener)
    writer.signed(earliest.milliseconds)
    writer.signed(latest.milliseconds)
    writer.count(isClosed ? 1 : 0)
    tally.write(to: &writer)
  }

  init(from reader: inout ByteReader) throws(CodingFailure) {
    reminder = try reader.symbol()
    subject = ExactText(try reader.text())
    opener = try reader.signed()
    let (earliest, latest) = (try reader.signed(), try reader.signed())
    self.earliest = Instant(milliseconds: min(earliest, latest))
    self.latest = Instant(milliseconds: max(earliest, latest))
    isClosed = try reader.count() == 1
    tally = try Tally(from: &reader)
  }
}
