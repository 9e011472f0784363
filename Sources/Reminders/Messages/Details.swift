package import CivilTime

/// What an event said, for the message about it, and the zone by whose clock its instants are
/// written.
package struct Details: Hashable, Sendable {
  package var values: [Detail]
  package var zone: Zone

  package init(values: [Detail], zone: Zone) {
    self.values = values
    self.zone = zone
  }

  /// Empty for a field that the event left out.
  func text(of field: Symbol, _ form: Template.Form) -> String {
    guard let detail = values.first(where: { $0.field == field }) else { return "" }
    switch detail.value {
    case .text(let text): return text
    case .number(let number): return "\(number)"
    case .instant(let instant): return text(of: zone.local(at: instant), form)
    }
  }

  private func text(of local: LocalDateTime, _ form: Template.Form) -> String {
    switch form {
    case .whole: "\(local.date) \(local.time)"
    case .date: "\(local.date)"
    case .time: "\(local.time)"
    }
  }
}
