package import CivilTime

/// The schedule of one entity, such as a medicine, as an event reports it (rule G15).
package struct EntityPlan: Hashable, Sendable {
  /// The times of day as minutes, ascending and without duplicates.
  package var minutes: [Int]
  /// The rule for the dates of the doses.
  package var dates = PlanDates.days(step: 1)
  /// The first dose, from whose date steps and cycles count; nil if the plan begins with its event.
  package var first: Dose?
  /// The last dose that the plan may have; nil if it does not end.
  package var last: Dose?
  /// The name of the zone that the times are in; nil for the recipient's zone.
  package var zoneName: String?

  package init(minutes: [Int]) {
    self.minutes = minutes
  }

  /// A local date and a minute of it.
  package struct Dose: Hashable, Sendable {
    package var date: LocalDate
    package var minute: Int

    package init(date: LocalDate, minute: Int) {
      (self.date, self.minute) = (date, minute)
    }
  }

  /// The maximum number of times a day.
  package static let timesMax = 8
  /// The maximum number of entities of one recipient that have a plan.
  package static let plansMax = 64
  /// The maximum number of doses that a plan counts.
  package static let countMax = 1_000
  /// The dates that a `PlanKey` can hold, as days since 1970.
  static let days = 0...0xffff

  /// The last date that the plan may have.
  var lastDate: LocalDate { last?.date ?? LocalDate(daysSinceEpoch: Self.days.upperBound) }

  /// Returns the first date of the plan at or after a date; nil if there is none.
  ///
  /// - Complexity: constant, however far the date is from the plan's beginning.
  package func firstDate(from date: LocalDate) -> LocalDate? {
    let origin = first?.date ?? LocalDate(daysSinceEpoch: Self.days.lowerBound)
    let end = lastDate
    let date = max(date, origin)
    guard date <= end, let next = dates.first(from: date, since: origin, through: end) else {
      return nil
    }
    return next <= end ? next : nil
  }

  /// Returns the times of day on one of the plan's dates. There are fewer on the first and the last
  /// date.
  package func minutes(on date: LocalDate) -> [Int] {
    guard date == first?.date || date == last?.date else { return minutes }
    let start = date == first?.date ? first?.minute ?? 0 : 0
    let end = date == last?.date ? last?.minute ?? .max : .max
    return minutes.filter { $0 >= start && $0 <= end }
  }

  /// Returns the dose with a number, from 1; nil if the plan has fewer.
  ///
  /// - Complexity: linear in the number.
  func dose(_ number: Int) -> Dose? {
    var rest = number
    var date = firstDate(from: LocalDate(daysSinceEpoch: Self.days.lowerBound))
    while let current = date {
      let minutes = minutes(on: current)
      if rest <= minutes.count { return Dose(date: current, minute: minutes[rest - 1]) }
      rest -= minutes.count
      date = firstDate(from: current + 1)
    }
    return nil
  }
}
