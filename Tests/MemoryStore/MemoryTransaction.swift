import Access
import CivilTime
import Reminders
import Store

/// A unit of work on a copy of the state, also used as a snapshot.
final class MemoryTransaction: StoreWriter {
  var state: MemoryState
  let instance: String

  init(_ state: MemoryState, instance: String) {
    self.state = state
    self.instance = instance
  }

  func identifier(of notification: Int64) -> String {
    NotificationID(instance, notification).description
  }

  // MARK: - Notes and tokens

  func note(_ key: String) -> String? { state.notes[key] }

  func save(notes: [String: String]) { state.notes.merge(notes) { $1 } }

  func newestRecord() -> Instant? {
    let trusted = state.notes["clock trusted", default: ""].split(separator: " ")
      .compactMap { Int64($0) }
    let cursors = trusted.count == 3 ? trusted : [0, 0, 0]
    let lastEvent = state.events.keys.max() ?? 0
    let lastNotification = state.notifications.keys.max() ?? 0
    let newest = [
      lastEvent > cursors[1] ? state.events[lastEvent]?.received : nil,
      lastNotification > cursors[2] ? state.notifications[lastNotification]?.record.at : nil,
      cursors[0] > 0 ? Instant(milliseconds: cursors[0]) : nil,
    ]
    return newest.compactMap { $0 }.max()
  }

  func trustClock(at now: Instant) {
    state.notes["clock trusted"] =
      "\(now.milliseconds) \(state.nextEvent - 1) \(state.nextNotification - 1)"
  }

  func adoptions() -> [Adoption] { state.adoptions.values.sorted { $0.at < $1.at } }

  func adoptedText(of catalogs: String) -> String? { state.adoptedTexts[catalogs] }

  func record(_ adoption: Adoption, text: String) {
    state.adoptions[adoption.at] = adoption
    state.adoptedTexts[adoption.catalogs] = state.adoptedTexts[adoption.catalogs] ?? text
  }

  func removeAdoptions(before first: Instant) {
    state.adoptions = state.adoptions.filter { $0.key >= first }
    let used = Set(state.adoptions.values.map(\.catalogs))
    state.adoptedTexts = state.adoptedTexts.filter { used.contains($0.key) }
  }

  func tokens() -> [TokenRecord] {
    state.tokens.values.sorted { ($0.created, $0.identifier) < ($1.created, $1.identifier) }
  }

  func token(_ identifier: String) -> TokenRecord? { state.tokens[identifier] }

  func save(tokens: [TokenRecord]) {
    for token in tokens { state.tokens[token.identifier] = token }
  }

  // MARK: - Analytics and usage

  func append(_ events: [AnalyticsEvent], of recipient: UInt32) {
    for event in events {
      state.analytics.append((state.nextAnalytics, recipient, event))
      state.nextAnalytics += 1
    }
  }

  func analytics(of recipient: UInt32?, after number: Int64, limit: Int) -> [AnalyticsRecord] {
    let matching = state.analytics.lazy.filter { entry in
      entry.number > number && recipient.map { $0 == entry.row } ?? true
    }
    return matching.prefix(limit).compactMap { entry in
      state.recipients[entry.row].map {
        AnalyticsRecord(number: entry.number, recipient: $0.recipient.name, event: entry.event)
      }
    }
  }

  func analyticsBacklog(
    of part: AnalyticsPart, after number: Int64, limit: Int
  ) -> AnalyticsBacklog {
    let waiting = state.analytics.filter { $0.number > number && part.contains($0.event) }
      .prefix(limit)
    return AnalyticsBacklog(
      count: waiting.count, oldest: waiting.map(\.event.time).min(),
      last: state.analytics.last?.number ?? 0)
  }

  func add(_ usage: [UsageKey: Int]) { state.usage.merge(usage, uniquingKeysWith: +) }

  func usage(from first: LocalDate, through last: LocalDate) -> UsageTable {
    var counts: [UsageKey: Int] = [:]
    for (key, count) in state.usage where (first...last).contains(key.hour.date) {
      var key = key
      key.hour = LocalHour(date: first, hour: key.hour.hour)
      counts[key, default: 0] += count
    }
    return UsageTable(counts)
  }
}
