package import CivilTime

/// A vacation of the recipient, or several vacations without a start of the recipient's day between
/// them.
package struct Vacation: Hashable, Sendable {
  /// The start of the first local date, or the time of the event that began or changed the vacation
  /// if that is later.
  package var start: Instant
  /// The first instant after the last local date.
  package var end: Instant
  /// The start of the recipient's first day after the vacation (`Settings.dayStart`).
  package var release: Instant

  package init(start: Instant = Instant(milliseconds: .min), end: Instant, release: Instant) {
    (self.start, self.end, self.release) = (start, end, release)
  }
}

extension Vacation {
  /// Returns the vacations of a recipient, ascending and disjoint: the current one, and the
  /// announced ones that are neither cancelled nor ended (rules V4, V16).
  static func all(of facts: Facts, _ settings: Settings, in zone: Zone) -> [Vacation] {
    func vacation(since start: Instant, through last: LocalDate) -> Vacation {
      Vacation(
        start: start, end: zone.instant(of: last + 1, at: .midnight),
        release: settings.dayStart(on: last + 1, in: zone))
    }
    var vacations: [Vacation] = []
    if let last = settings.vacationUntil {
      let start = facts.vacationModeChange ?? Instant(milliseconds: .min)
      vacations.append(vacation(since: start, through: last))
    }
    for announced in facts.vacations.isEmpty ? [] : facts.openVacations(in: zone) {
      vacations.append(vacation(since: announced.start, through: announced.until))
    }
    // Vacation mode may be switched on after the release of the vacation. Until the release, the
    // vacation keeps what it has held (`GateInput.vacation(at:)`).
    vacations.removeAll { $0.start >= $0.release }
    return vacations.count > 1 ? joined(vacations) : vacations
  }

  /// Returns the vacations in ascending order. Joins a vacation to the previous one if it starts
  /// before the release of the previous one.
  private static func joined(_ vacations: [Vacation]) -> [Vacation] {
    var joined: [Vacation] = []
    for vacation in vacations.sorted(by: { $0.start < $1.start }) {
      guard let last = joined.last, vacation.start < last.release else {
        joined.append(vacation)
        continue
      }
      joined[joined.count - 1].end = max(last.end, vacation.end)
      joined[joined.count - 1].release = max(last.release, vacation.release)
    }
    return joined
  }
}
