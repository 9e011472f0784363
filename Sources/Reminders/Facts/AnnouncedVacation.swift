package import CivilTime

/// The announcement of a vacation from one local date through another, or its cancellation. The
/// first date identifies the vacation: of several announcements from one date, the latest counts.
package struct AnnouncedVacation: Hashable, Sendable {
  /// The first local date of the vacation.
  package let from: LocalDate
  /// The last local date; nil if the announcement is cancelled.
  package let until: LocalDate?
  package var stamp: Stamp

  package init(from: LocalDate, until: LocalDate?, stamp: Stamp) {
    (self.from, self.until, self.stamp) = (from, until, stamp)
  }

  /// The maximum number of announced vacations of a recipient that are not over (rule V16).
  package static let countMax = 16
  /// The maximum number of announcements that facts remember, including cancelled and past ones.
  fileprivate static let memoryMax = 64
}

extension SettingChange {
  /// The path of all announced vacations. Each change of an announced vacation has this path.
  package static let announcedVacations = Symbol(PreferencesShape.announced)
  /// The path of the setting that records the latest `vacation.ended`.
  static let vacationEnd = Symbol("vacation.ended")

  /// Creates the change that announces a vacation, or cancels the announcement.
  ///
  /// - Parameter until: the last date; nil to cancel the announcement.
  package init(vacationFrom from: LocalDate, until: LocalDate?) {
    let last = until?.daysSinceEpoch ?? Int32.min
    self.init(
      path: Self.announcedVacations,
      value: Int64(from.daysSinceEpoch) << 32 | Int64(UInt32(bitPattern: last)))
  }

  /// The dates of a change that announces or cancels a vacation; nil for other changes.
  package var announcement: (from: LocalDate, until: LocalDate?)? {
    guard path == Self.announcedVacations else { return nil }
    let last = Int32(truncatingIfNeeded: value)
    let until = last == .min ? nil : LocalDate(daysSinceEpoch: Int(last))
    return (LocalDate(daysSinceEpoch: Int(value >> 32)), until)
  }

  /// Whether the change may begin, move or end a vacation.
  var changesVacation: Bool {
    path == Self.announcedVacations || Facts.vacationPaths.contains(path)
  }
}

extension Facts {
  /// The paths of the settings that begin, move or end a vacation.
  fileprivate static let vacationPaths = [
    SettingChange.vacationEnd, Symbol(BuiltInSetting.vacationMode.path),
    Symbol(BuiltInSetting.vacationUntil.path),
  ]

  /// Returns the announcement of the vacation from a first date, or its cancellation; nil if
  /// neither is known.
  package func announcedVacation(from date: LocalDate) -> AnnouncedVacation? {
    vacations.first { $0.from == date }
  }

  /// Returns the announced vacations that no event has cancelled or ended, ascending, also those
  /// that are over. `start` is the start of the first date, or the time of the latest report if
  /// that is later.
  package func openVacations(
    in zone: Zone
  ) -> [(from: LocalDate, until: LocalDate, start: Instant)] {
    vacations.compactMap { vacation in
      guard let until = vacation.until else { return nil }
      let start = max(zone.instant(of: vacation.from, at: .midnight), vacation.stamp.time)
      if let end = vacationEnd, vacation.stamp < end, start <= end.time { return nil }
      return (vacation.from, until, start)
    }
  }

  /// The stamp of the latest `vacation.ended` without a date; nil if there was none.
  var vacationEnd: Stamp? {
    settings.first { $0.path == SettingChange.vacationEnd }?.stamp
  }

  /// The time of the latest change of the vacation that `vacation.mode` switches on.
  var vacationModeChange: Instant? {
    settings.filter { Self.vacationPaths.dropFirst().contains($0.path) }.map(\.stamp.time).max()
  }

  /// The time of the latest event that began, changed or ended any vacation; nil if there was none.
  var vacationChange: Instant? {
    let times =
      settings.filter { Self.vacationPaths.contains($0.path) }.map(\.stamp.time)
      + vacations.map(\.stamp.time)
    return times.max()
  }

  /// Announces or cancels a vacation. Beyond `memoryMax`, the announcement with the earliest first
  /// date is forgotten.
  mutating func note(_ vacation: AnnouncedVacation) {
    let index = vacations.firstIndex { $0.from >= vacation.from } ?? vacations.endIndex
    if index < vacations.endIndex, vacations[index].from == vacation.from {
      if vacations[index].stamp < vacation.stamp { vacations[index] = vacation }
      return
    }
    vacations.insert(vacation, at: index)
    if vacations.count > AnnouncedVacation.memoryMax { vacations.removeFirst() }
  }

  /// Refuses cancellations of vacations that were never announced. A vacation may be cancelled
  /// again, because that changes nothing.
  func checkCancellations(
    _ announcements: [(from: LocalDate, until: LocalDate?)], at path: String, in zone: Zone
  ) throws(Refusal) {
    for announcement in announcements where announcement.until == nil {
      guard announcedVacation(from: announcement.from) == nil else { continue }
      let known = openVacations(in: zone).map { "\($0.from)" }.joined(separator: ", ")
      throw Refusal(
        path: path,
        "is \(announcement.from), from which no vacation is announced; "
          + (known.isEmpty ? "none is announced" : "the announced ones begin on \(known)"))
    }
  }

  /// Refuses an event that would leave more announced vacations than are allowed (rule V16), unless
  /// the event adds none. Vacations that are over do not count.
  ///
  /// - Parameters:
  ///   - folded: the facts after the event.
  ///   - today: the event's date in UTC.
  func checkVacationCount(
    after folded: Facts, at path: String, today: LocalDate, in zone: Zone
  ) throws(Refusal) {
    func count(_ facts: Facts) -> Int {
      facts.openVacations(in: zone).count { $0.until >= today - 1 }
    }
    let newCount = count(folded)
    guard newCount > AnnouncedVacation.countMax, newCount > count(self) else { return }
    throw Refusal(
      .overfull, path: path,
      "is one of \(newCount) announced vacations; at most \(AnnouncedVacation.countMax) are "
        + "allowed; cancel one with vacation.ended and its \"from\"")
  }
}

extension AnnouncedVacation {
  /// - Parameter base: the instant in milliseconds from which stored times count.
  func write(to writer: inout ByteWriter, since base: Int64) {
    writer.signed(Int64(from.daysSinceEpoch))
    writer.signed(until.map { Int64($0 - from) } ?? -1)
    writer.stamp(stamp, since: base)
  }

  /// - Parameter base: the instant in milliseconds from which stored times count.
  init(from reader: inout ByteReader, since base: Int64) throws(CodingFailure) {
    from = LocalDate(daysSinceEpoch: Int(clamping: try reader.signed()))
    let days = try reader.signed()
    until = days < 0 ? nil : from + Int(clamping: days)
    stamp = try reader.stamp(since: base)
  }
}
