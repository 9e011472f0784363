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

  /// Returns the warnings about the instants, dates and plans of a report.
  private func warnings(of report: Report, in catalog: Catalog) -> [String] {
    leadWarnings(of: report, in: catalog) + exceptionWarnings(of: report, in: catalog)
  }

  /// Returns a warning for each exception of a plan that is no date of the plan.
  private func exceptionWarnings(of report: Report, in catalog: Catalog) -> [String] {
    report.details.flatMap { detail -> [String] in
      let dates = detail.plan.map { plan in plan.exceptions.filter { !plan.selects($0) } } ?? []
      guard !dates.isEmpty else { return [] }
      let name = catalog.event(type)?.fields.first { Symbol($0.name) == detail.field }?.name ?? ""
      return dates.map { "data.\(name).except: \($0) is no date of the plan; check the date" }
    }
  }

  /// Returns a warning for each past instant or date in the event, if reminders are sent before
  /// this instant or date (rule T13). An instant is past if it is not after the event's time. A
  /// date is past if it has ended by then in every zone.
  private func leadWarnings(of report: Report, in catalog: Catalog) -> [String] {
    let faults = report.details.compactMap { detail in
      fault(of: detail.value).map { (field: detail.field, text: $0) }
    }
    // Few events have such a value. All reminders are searched for these fields only.
    guard !faults.isEmpty, let schema = catalog.event(type) else { return [] }
    let types = [symbol] + copies.map(\.symbol)
    let fields = Set(catalog.reminders.compactMap { $0.leadField(ofEvents: types) })
    return faults.filter { fields.contains($0.field) }.map { field, text in
      let name = schema.fields.first { Symbol($0.name) == field }?.name ?? ""
      return "data.\(name): \(text)"
    }
  }

  /// Returns why reminders before an instant or a date are not planned. Returns nil if they are
  /// planned, and for a value of another kind.
  private func fault(of value: Detail.Value) -> String? {
    switch value {
    case .instant(let instant) where instant <= time:
      "\(instant) is not after the event's time \(time); reminders before this instant are not "
        + "planned; check the instant"
    case .date(let date) where date.endInEveryZone <= time:
      "\(date) ended before the event's time \(time); reminders before this date are not planned; "
        + "check the date"
    default: nil
    }
  }
}

extension Reminder {
  /// Returns the field with the instant or date before which the reminder is sent. Returns nil if
  /// no event of these types triggers the reminder, or if there is no such field.
  fileprivate func leadField(ofEvents types: [Symbol]) -> Symbol? {
    guard case .items(let trigger) = trigger, !trigger.isPast, types.contains(trigger.event) else {
      return nil
    }
    return trigger.timing.field
  }
}
