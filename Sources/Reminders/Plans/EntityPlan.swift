package import CivilTime

/// The schedule of one entity, such as a medicine, as an event reports it (rule G15). Each planned
/// date and time is called a dose.
package struct EntityPlan: Hashable, Sendable {
  /// The times of day as minutes, ascending and without duplicates.
  package var minutes: [Int]
  /// The rule for the dates of the doses.
  package var dates = PlanDates.days(step: 1)
  /// The first dose, from whose date steps and cycles count; nil if the plan begins with its event.
  package var first: Dose?
  /// The last dose that `dates` and `minutes` may give; nil if they do not end.
  package var last: Dose?
  /// The dates that are left out of `dates`, ascending and without duplicates.
  package var exceptions: [LocalDate] = []
  /// The doses in addition to those of `dates`, ascending and without duplicates. They may be on an
  /// excepted date, before `first` and after `last`.
  package var additions: [Dose] = []
  /// The name of the zone that the times are in; nil for the recipient's zone.
  package var zoneName: String?
  /// The number of dates by which the doses, also the first one, precede those of `dates` (rule
  /// G22). No reported plan has it, so it is not stored.
  var lead = 0

  package init(minutes: [Int]) {
    self.minutes = minutes
  }

  /// A local date and a minute of it.
  package struct Dose: Hashable, Comparable, Sendable {
    package var date: LocalDate
    package var minute: Int

    package init(date: LocalDate, minute: Int) {
      (self.date, self.minute) = (date, minute)
    }

    package static func < (one: Self, other: Self) -> Bool {
      (one.date, one.minute) < (other.date, other.minute)
    }
  }

  /// The maximum number of times a day.
  package static let timesMax = 8
  /// The maximum number of entities of one recipient that have a plan.
  package static let plansMax = 64
  /// The maximum number of doses that a plan counts.
  package static let countMax = 1_000
  /// The maximum number of exceptions, and of additions.
  package static let changesMax = 64
  /// The dates that a `PlanKey` can hold, as days since 1970.
  static let days = 0...0xffff

  /// Whether single dates differ from those that the plan repeats.
  var hasChanges: Bool { !exceptions.isEmpty || !additions.isEmpty }

  /// The last date that the plan may have.
  var lastDate: LocalDate {
    let end = last?.date ?? Self.lastPossibleDate
    return max(end, additions.last?.date ?? end)
  }

  /// Returns the first date of the plan at or after a date; nil if there is none.
  ///
  /// - Complexity: linear in the changes of single dates, of which there are few; constant in the
  ///   distance from the plan's beginning.
  package func firstDate(from date: LocalDate) -> LocalDate? {
    let regular = firstRegularDate(from: date)
    guard let addition = additions.first(where: { $0.date >= date })?.date else { return regular }
    return min(regular ?? addition, addition)
  }

  /// Returns the times of day on one of the plan's dates. Only additions are before the first dose
  /// or after the last one.
  package func minutes(on date: LocalDate) -> [Int] {
    let times = times(on: date)
    guard date == first?.date || date == last?.date else { return times }
    let start = date == first?.date ? first?.minute ?? 0 : 0
    let end = date == last?.date ? last?.minute ?? .max : .max
    return times.filter {
      $0 >= start && $0 <= end || additions.contains(Dose(date: date, minute: $0))
    }
  }

  /// Returns the times of day on one of the plan's dates, including those before the first dose or
  /// after the last one.
  func times(on date: LocalDate) -> [Int] {
    let further = additions.filter { $0.date == date }.map(\.minute)
    guard !further.isEmpty else { return minutes }
    guard firstRegularDate(from: date) == date else { return further }
    return Set(minutes + further).sorted()
  }

  /// Returns whether `dates` include a date, even if the date is an exception.
  package func selects(_ date: LocalDate) -> Bool {
    firstSelectedDate(from: date, through: date) == date
  }

  /// Returns the dose of `dates` with a number, from 1; nil if there are fewer. Exceptions and
  /// additions have no influence, except by `isCounted`.
  ///
  /// - Parameter isCounted: whether a dose counts; every dose if absent.
  /// - Complexity: linear in the number.
  func dose(_ number: Int, where isCounted: (Dose) -> Bool = { _ in true }) -> Dose? {
    var rest = number
    var date = firstSelectedDate(from: LocalDate(daysSinceEpoch: Self.days.lowerBound))
    while let current = date {
      let start = current == first?.date ? first?.minute ?? 0 : 0
      let end = current == last?.date ? last?.minute ?? .max : .max
      for minute in minutes where minute >= start && minute <= end {
        let dose = Dose(date: current, minute: minute)
        if isCounted(dose) { rest -= 1 }
        if rest == 0 { return dose }
      }
      date = firstSelectedDate(from: current + 1)
    }
    return nil
  }

  // MARK: - Regular dates

  private static let lastPossibleDate = LocalDate(daysSinceEpoch: days.upperBound)

  /// Returns the first date of `dates`, at or after a date, that is no exception.
  private func firstRegularDate(from date: LocalDate) -> LocalDate? {
    var next = firstSelectedDate(from: date)
    var rest = exceptions[...]
    while let current = next {
      rest = rest.drop { $0 < current }
      guard rest.first == current else { return current }
      Work.countStep()
      next = firstSelectedDate(from: current + 1)
    }
    return nil
  }

  /// Returns the first date of `dates` at or after a date, and not after `limit`.
  private func firstSelectedDate(
    from date: LocalDate, through limit: LocalDate = EntityPlan.lastPossibleDate
  ) -> LocalDate? {
    let origin = first?.date ?? LocalDate(daysSinceEpoch: Self.days.lowerBound)
    let end = min(last?.date ?? limit, limit)
    let date = max(date, origin)
    guard date <= end,
      let later = dates.first(from: date + lead, since: origin + lead, through: end + lead)
    else { return nil }
    let next = later - lead
    return next <= end ? next : nil
  }
}
