import CivilTime
import JSON
import Reminders

/// The rules about how much is sent, and when.
extension Judge {
  // MARK: - A day's notifications

  /// Identifies the lines (entries) of a world's simulated timeline that count together.
  private struct Day: Hashable {
    let recipient: String
    let channel: Channel
    let date: LocalDate
    /// The reminder or category with a limit of its own; nil for the limit of the channel.
    var name: String?
  }

  /// Returns a finding for each recipient, channel and date with more notifications than a limit.
  mutating func crowdedDays(in world: World) throws -> [Finding] {
    var days: [Day: [TimelineEntry]] = [:]
    for entry in try stage.play(world).delivered
    where entry.channel != .inapp && isDeclared(entry.message) {
      let day = Day(
        recipient: entry.recipient, channel: entry.channel, date: entry.zone.date(at: entry.at))
      let own = declarations[entry.message.reminder].map { declarations.first(of: $0).name }
      for name in [nil, own ?? entry.message.reminder, entry.message.category] {
        var day = day
        day.name = name
        guard limit(of: day, in: world) != nil else { continue }
        if name == nil, let own, !applies(.dailyLimit, to: own) { continue }
        days[day, default: []].append(entry)
      }
    }
    return days.compactMap { day, entries in
      guard let limit = limit(of: day, in: world), entries.count > limit else { return nil }
      return crowding(day, entries, limit, world)
    }
    .sorted { $0.fault < $1.fault }
  }

  /// Returns whether a catalog's reminders cause the message, and not an app's request.
  private func isDeclared(_ message: Message) -> Bool {
    declarations[message.reminder] != nil || message.members.contains { declarations[$0] != nil }
  }

  /// Returns the finding of a day that exceeds its limit. The finding names the reminder with the
  /// most lines.
  private func crowding(
    _ day: Day, _ entries: [TimelineEntry], _ limit: Int, _ world: World
  ) -> Finding {
    let counts = Dictionary(grouping: entries, by: \.message.reminder).mapValues(\.count)
    let most = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? ""
    let name = declarations[most].map { declarations.first(of: $0).name } ?? most
    let own = day.name.map { " of \"\($0)\"" } ?? ""
    return Finding(
      rule: .dailyLimit, reminder: name,
      fault: "\(day.recipient) gets \(entries.count) notifications\(own) by "
        + "\(day.channel.name) on \(day.date); the limit is \(limit)",
      world: world, lines: entries)
  }

  /// Returns the largest number of notifications on a day; nil if it is not limited.
  private func limit(of day: Day, in world: World) -> Int? {
    let entry = rules[.dailyLimit]
    guard let name = day.name else {
      return entry.isOn
        ? entry.limits[day.channel] ?? entry.limit ?? derivedLimit(day.channel, world) : nil
    }
    if case .limit(let limit)? = entry.exceptions[name] { return limit }
    return nil
  }

  /// The lowest derived limit.
  static let leastLimit = 8
  /// The largest number of repetitions that a derived limit counts for each notification.
  static let repetitionsMax = 2

  /// Returns the limit that follows from the declarations. Each reminder adds its times a day, with
  /// up to two repetitions each, for each event that plans it.
  private func derivedLimit(_ channel: Channel, _ world: World) -> Int {
    var causes: [String: Int] = [:]
    for act in world.acts { causes[act.type, default: 0] += 1 }
    let sum = declarations.reminders.reduce(0) { sum, declared in
      guard declared.reminder.repeated == nil, declared.channels.contains(channel) else {
        return sum
      }
      let repetitions = declarations.catalog.repetitions[declared.reminder.symbol]?.count ?? 0
      let events = declared.causes.reduce(0) { $0 + causes[$1, default: 0] }
      let count = declared.causes.isEmpty ? 1 : events
      let times = declared.timesADay(declarations.catalog)
      // One more notification may have been held back on the previous date.
      return sum + times * count * (1 + min(repetitions, Self.repetitionsMax)) + 1
    }
    return max(sum, Self.leastLimit)
  }

  // MARK: - Quiet hours

  /// Returns a finding for each reminder that interrupts quiet hours although it is not critical.
  mutating func disturbances(in world: World) throws -> [Finding] {
    let lines = try stage.play(world).delivered.filter { entry in
      guard entry.channel != .inapp, !mayDisturb(entry) else { return false }
      // An event of the same instant may be handled before or after the line.
      let settings = [true, false].map { QuietSetting(world, entry, includesInstant: $0) }
      return settings.allSatisfy { $0.isQuiet(at: entry.at, zones) }
    }
    return Dictionary(grouping: lines, by: \.message.reminder).map { name, entries in
      Finding(
        rule: .quietHours, reminder: name,
        fault: "\(entries[0].recipient) gets \"\(name)\" by \(entries[0].channel.name) at "
          + "\(entries[0].zone.local(at: entries[0].at)), in quiet hours, although it is not "
          + "critical",
        world: world, lines: entries)
    }
    .sorted { $0.reminder < $1.reminder }
  }

  /// Returns whether a line is critical. A digest is critical if one of its members is.
  private func mayDisturb(_ entry: TimelineEntry) -> Bool {
    if let declared = declarations[entry.message.reminder] { return declared.urgency >= .critical }
    let members = entry.message.members.compactMap { declarations[$0]?.urgency }
    if let most = members.max() { return most >= .critical }
    let category = declarations.catalog.categories.first { $0.name == entry.message.category }
    return category.map { $0.urgency >= .critical } ?? false
  }
}

/// A person's quiet hours and zone at the instant of a line, read directly from a world's events.
private struct QuietSetting {
  /// The quiet hours. They are off until an event sets them.
  private var hours = QuietHours(
    isEnabled: false, start: LocalTime(minuteOfDay: 21 * 60) ?? .midnight,
    end: LocalTime(minuteOfDay: 8 * 60) ?? .midnight)
  /// The zone of the line, which applies if no event reports a known zone.
  private var zone: Zone
  /// The zone that the latest event reports; nil if none does.
  private var zoneName: String?

  /// - Parameter includesInstant: whether the events of the line's own instant count.
  init(_ world: World, _ entry: TimelineEntry, includesInstant: Bool) {
    zone = entry.zone
    for act in world.acts where act.recipient == entry.recipient {
      guard act.time < entry.at || includesInstant && act.time == entry.at else { break }
      if let name = act.data["timezone"]?.stringValue { zoneName = name }
      guard let data = act.data["quietHours"] else { continue }
      if let isOn = data["enabled"]?.boolValue { hours.isEnabled = isOn }
      if let start = Self.time(data["start"]) { hours.start = start }
      if let end = Self.time(data["end"]) { hours.end = end }
    }
  }

  private static func time(_ value: JSONValue?) -> LocalTime? {
    let parts = value?.stringValue?.split(separator: ":").compactMap { Int($0) } ?? []
    return parts.count == 2 ? LocalTime(hour: parts[0], minute: parts[1]) : nil
  }

  func isQuiet(at instant: Instant, _ zones: ZoneDatabase) -> Bool {
    let zone = zoneName.flatMap { try? zones.zone(named: $0) } ?? zone
    return hours.windowEnd(at: instant, in: zone) != nil
  }
}
