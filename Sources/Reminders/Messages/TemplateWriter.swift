/// Fills a template's placeholders.
struct TemplateWriter {
  /// The occurrence's number; nil if it has none.
  let number: Int64?
  /// The fields of the event; nil if the text is not about an event.
  let details: Details?
  let wording: Wording
  /// The instant of sending; without it, the distance to the subject is empty, and the distance to
  /// a field is replaced by its date and time.
  let time: SendingTime?

  func text(_ segments: [Template.Segment]) -> String {
    segments.reduce(into: "") { $0 += text($1) }
  }

  private func text(_ segment: Template.Segment) -> String {
    switch segment {
    case .literal(let literal): literal
    case .number: "\(number ?? 0)"
    case .next: "\((number ?? 0) + 1)"
    case .field(let field, let form): details?.text(of: field, form, wording, time) ?? ""
    case .name: wording.isolated(wording.name ?? "")
    case .distance:
      time.flatMap { time in time.subject.map { wording.distance(to: $0, time) } } ?? ""
    case .passed: ""
    case .part(let subject, let isGiven, let segments):
      hasValue(subject) == isGiven ? text(segments) : ""
    case .plural(let subject, let forms):
      count(subject).map { forms.text(of: $0.operands, written: wording.number($0)) } ?? ""
    }
  }

  /// Returns whether a value exists. An empty text, false and an empty list count as missing.
  private func hasValue(_ segment: Template.Segment) -> Bool {
    if segment == .passed { return time?.hasPassed ?? false }
    guard case .field(let field, let form) = segment else { return !text(segment).isEmpty }
    switch details?.values.first(where: { $0.field == field })?.value {
    case nil, .flag(false): return false
    case .instant(let instant) where form == .passed: return time.map { instant <= $0.now } ?? false
    case .tally(let tally): return tally.total > 0
    default: return !text(segment).isEmpty
    }
  }

  private func count(_ segment: Template.Segment) -> LocalNumber? {
    switch segment {
    case .number: return LocalNumber(number ?? 0)
    case .next: return LocalNumber((number ?? 0) + 1)
    case .field(let field, _):
      return details?.values.first { $0.field == field }?.value.localNumber
    case .literal, .name, .distance, .passed, .part, .plural: return nil
    }
  }
}

extension Detail.Value {
  /// The value's number; nil if it has none.
  fileprivate var localNumber: LocalNumber? {
    switch self {
    case .number(let number): LocalNumber(number)
    case .decimal(let number): LocalNumber(number)
    case .tally(let tally): LocalNumber(Int64(tally.total))
    case .text, .instant, .date, .flag, .person, .place, .plan: nil
    }
  }
}

extension Template.Segment {
  /// Returns whether a segment, or a segment within it, satisfies the condition.
  func contains(_ condition: (Self) -> Bool) -> Bool {
    switch self {
    case .part(let subject, _, let segments):
      subject.contains(condition) || segments.contains { $0.contains(condition) }
    case .plural(let subject, _): subject.contains(condition)
    case .literal, .number, .next, .field, .name, .distance, .passed: condition(self)
    }
  }
}

extension Template {
  /// The fields of events that the text contains.
  var fields: Set<Symbol> {
    var fields: Set<Symbol> = []
    for segment in segments {
      _ = segment.contains { part in
        if case .field(let field, _) = part { fields.insert(field) }
        return false
      }
    }
    return fields
  }
}
