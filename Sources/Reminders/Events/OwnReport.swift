/// What a recipient's own token may report (rule E7): what the person decides, what they do, and
/// where they are, but nothing that says what others read or that leads messages elsewhere.
extension Catalog {
  /// Why an event is not the person's own to report, and who may report it; nil where it is.
  package func refusalOfOwnReport(_ event: Event) -> Refusal? {
    guard let schema = self.event(event.type), schema.isOwnReport else {
      let scopes = event.type == "recipient.deleted" ? "admin" : "admin or support"
      return Refusal(
        path: "type",
        "\"\(event.type)\" is not for a recipient's own token to report; one with the scope "
          + "\(scopes) may")
    }
    guard case .profile(let changes) = event.content,
      let change = changes.first(where: { !$0.field.isOwnReport })
    else { return nil }
    let own = ProfileField.allCases.filter(\.isOwnReport).map(\.name).joined(separator: ", ")
    return Refusal(
      path: "data.\(change.field.name)",
      "is not for a recipient's own token to set, which may set \(own); one with the "
        + "scope admin or support may")
  }
}

extension EventSchema {
  /// Whether a recipient's own token may report it; of a profile, the fields decide.
  package var isOwnReport: Bool {
    switch shape {
    case .profile, .preferences, .preset, .vacationStart, .vacationEnd: true
    case .deviceRegistration, .deviceRemoval, .permission: true
    case .opening, .cancellation, .snooze: true
    case .happening, .report: isOwnAct
    case .erasure, .request, .requestCancellation: false
    }
  }
}

extension ProfileField {
  /// Whether a recipient's own token may set it: who travels takes zone, language and holidays
  /// along, but an address is where messages go, and a name stands in them.
  package var isOwnReport: Bool {
    switch self {
    case .timezone, .locale, .holidays: true
    case .email, .phone, .name: false
    }
  }
}
