package import CivilTime

extension Event {
  /// The longest plausible span from a request to its instant. A longer span is probably a mistake.
  private static let horizon = TimeSpan.days(366)

  /// Returns the probable mistakes in an accepted event (rule E8), each as a sentence.
  ///
  /// - Parameter now: the instant of arrival.
  package func warnings(at now: Instant, in catalog: Catalog) -> [String] {
    switch content {
    case .request(let content): warnings(of: content, at: now)
    case .report(let report): warnings(of: report, in: catalog)
    default: []
    }
  }

  /// Returns a warning if the request has expired, is overdue, or is due after the horizon.
  private func warnings(of content: RequestedNotification.Content, at now: Instant) -> [String] {
    let expiry = content.planned + content.expires
    if expiry < now {
      return [
        "data.at: the notification has expired at \(expiry) and is dropped; give a later \"at\", "
          + "or a longer \"expires\""
      ]
    }
    if content.planned < time {
      return [
        "data.at: \(content.planned) is before the event's time \(time); the notification is due "
          + "at once"
      ]
    }
    if content.planned - now > Self.horizon {
      return ["data.at: \(content.planned) is more than a year ahead; check the year"]
    }
    return []
  }

  /// Returns a warning for each instant in the event that is not after the event's time, if
  /// reminders are sent before that instant (rule T13).
  private func warnings(of report: Report, in catalog: Catalog) -> [String] {
    let pastInstants = report.details.compactMap { detail -> (field: Symbol, instant: Instant)? in
      guard case .instant(let instant) = detail.value, instant <= time else { return nil }
      return (detail.field, instant)
    }
    // Few events have such an instant. Only for these are all reminders searched.
    guard !pastInstants.isEmpty, let schema = catalog.event(type) else { return [] }
    let types = [symbol] + copies.map(\.symbol)
    let fields = Set(catalog.reminders.compactMap { $0.leadField(ofEvents: types) })
    return pastInstants.filter { fields.contains($0.field) }.map { field, instant in
      let name = schema.fields.first { Symbol($0.name) == field }?.name ?? ""
      return "data.\(name): \(instant) is not after the event's time \(time); no further reminders "
        + "before this instant are planned; check the instant"
    }
  }
}

extension Reminder {
  /// Returns the field with the instant before which the reminder is sent; nil unless an event of
  /// one of the types triggers the reminder, and the event has such a field.
  fileprivate func leadField(ofEvents types: [Symbol]) -> Symbol? {
    guard case .items(let trigger) = trigger, !trigger.isPast, types.contains(trigger.event) else {
      return nil
    }
    return trigger.timing.field
  }
}
