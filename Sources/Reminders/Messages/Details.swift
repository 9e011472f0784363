package import CivilTime

/// The fields of an event for a message, with the zone in which the message writes instants.
package struct Details: Hashable, Sendable {
  package var values: [Detail]
  package var zone: Zone

  package init(values: [Detail], zone: Zone) {
    self.values = values
    self.zone = zone
  }

  /// Returns the text of a field; empty if the event has no such field.
  ///
  /// - Parameter time: the instant at which the text is sent; if nil, a distance is written as a
  ///   date and a time.
  func text(
    of field: Symbol, _ form: Template.Form, _ wording: Wording, _ time: SendingTime?
  ) -> String {
    guard let detail = values.first(where: { $0.field == field }) else { return "" }
    switch detail.value {
    case .text(let text): return wording.isolated(text)
    case .number(let number): return wording.number(LocalNumber(number))
    case .decimal(let number): return wording.number(LocalNumber(number))
    case .instant(let instant):
      if form == .distance, let time { return wording.distance(to: instant, time) }
      return text(of: zone.local(at: instant), form, wording)
    case .date(let date): return text(of: date, form, wording)
    case .flag(let flag): return "\(flag)"
    case .person(let person): return wording.isolated(text(of: person, form))
    case .place(let place): return wording.isolated(form == .id ? place.id : place.name)
    case .plan: return ""
    case .tally(let tally):
      guard case .counted(let sorts) = form else { return "\(tally.total)" }
      return tally.text(sorts, wording)
    }
  }

  private func text(
    of local: LocalDateTime, _ form: Template.Form, _ wording: Wording
  ) -> String {
    switch form {
    case .date, .weekday, .longDate, .calendar: text(of: local.date, form, wording)
    case .time: wording.time(local.time)
    case .whole, .distance, .passed, .id, .firstName, .counted, .count:
      wording.date(local.date) + " " + wording.time(local.time)
    }
  }

  private func text(of date: LocalDate, _ form: Template.Form, _ wording: Wording) -> String {
    switch form {
    case .weekday: wording.weekday(date)
    case .longDate: wording.longDate(date)
    case .calendar(let calendar): wording.date(date, in: calendar)
    case .whole, .date, .time, .distance, .passed, .id, .firstName, .counted, .count:
      wording.date(date)
    }
  }

  /// Returns a person's id, first name, or name in the app, as the form requires (rule N1).
  private func text(of person: Person, _ form: Template.Form) -> String {
    switch form {
    case .id: person.id
    case .firstName: person.firstName ?? person.username
    default: person.username
    }
  }
}

extension [Detail] {
  /// Returns a field's text; nil if there is none, or if the field has another kind.
  func text(_ field: Symbol) -> String? {
    for detail in self where detail.field == field {
      if case .text(let text) = detail.value { return text }
    }
    return nil
  }
}
