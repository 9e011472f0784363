import CivilTime
import Reminders
import SQLiteStore
import Store

/// Checks of the disk's content after a run.
extension Life {
  /// Checks everything that the store contains about each person, and compares it with simulations.
  func judgeAll() throws {
    let store = try SQLiteStore(
      directory: directory.path, hash: IdentityHash(width: circumstances.hashWidth))
    let people = try Dictionary(
      uniqueKeysWithValues: diary.names.map { ($0, try StoredPerson($0, in: store)) })
    for name in diary.names {
      guard let person = people[name] else { continue }
      judgeEvents(person)
      judgeTimes(person)
      judgeInbox(person)
      judgeReceivers(person)
      try judgeErasure(of: name)
    }
    if script.isExact { try judgeTimeline(people) }
    if script.isComplete { try judgeCompleteness(people) }
  }

  /// Checks that the acknowledged events are stored once, and no other events (rules E1, E3).
  private func judgeEvents(_ person: StoredPerson) {
    let personEvents = diary.events.filter { $0.recipient == person.name && $0.time <= clocks.now }
    let last = personEvents.lastIndex { $0.type == "recipient.deleted" }
    let expected = personEvents[(last.map { $0 + 1 } ?? 0)...].map(\.identifier).sorted()
    let found = person.events.map(\.identifier).sorted()
    judgeRetention(person)
    guard found != expected else { return }
    let old = personEvents.filter { mayBeGone(.events, of: $0.time) }.map(\.identifier)
    let missing = Set(expected).subtracting(found).subtracting(old).sorted()
    let surplus = Set(found).subtracting(expected).sorted()
    guard !missing.isEmpty || !surplus.isEmpty else { return }
    find("events of \(person.name): lost \(missing), not expected \(surplus)")
  }

  /// Checks that old events are gone (rule H7), except requests, which may wait, and events from a
  /// clock that was ahead.
  private func judgeRetention(_ person: StoredPerson) {
    for event in person.events where event.type != "notification.requested" {
      guard mayBeGone(.events, of: event.time + .days(1)),
        !excursions.contains(where: { $0.start <= event.time && event.time <= $0.end })
      else { continue }
      find("\(event.type) \(event.identifier) of \(event.time) is kept for too long")
    }
  }

  /// Returns whether a row is old enough to be pruned.
  func mayBeGone(_ part: RetentionPart, of time: Instant) -> Bool {
    circumstances.retention.map { time < clocks.now - $0.span(of: part) } ?? false
  }

  /// Checks that an event reported without a time is stored with the right time of one of its
  /// reports (rule T11).
  private func judgeTimes(_ person: StoredPerson) {
    for event in person.events {
      guard let reported = reports[event.identifier], !reported.contains(event.time) else {
        continue
      }
      find("\(event.type) \(event.identifier) of \(reported) is stored with \(event.time)")
    }
  }

  /// Checks that each notification for the inbox is in the inbox exactly once (rule D1).
  private func judgeInbox(_ person: StoredPerson) {
    let inboxNotifications = person.notifications.filter {
      $0.outcome == .delivered && $0.channels.contains(ChannelSet(.inapp))
    }
    let (expected, found) = (inboxNotifications.map(\.message.body).sorted(), person.inbox.sorted())
    if expected != found { find("the inbox of \(person.name) has \(found), not \(expected)") }
  }

  /// Checks that each delivery that passed the gates has reached the receiver or is accounted for
  /// (rules D1, D2).
  private func judgeReceivers(_ person: StoredPerson) {
    for notification in person.notifications where notification.outcome == .delivered {
      for channel in notification.channels.channels where channel != .inapp {
        let destination = Outside.Destination(
          notification: notification.identifier, channel: channel)
        let isAccounted =
          notification.retries.contains { $0.channel == channel && $0.due == nil }
          || notification.attempts.contains { $0.channel == channel && $0.verdict == .dropped }
          || hasFallback(notification)
        let text = Line(notification, person.name, channel).text
        let deliveredCount = notification.attempts.count {
          $0.channel == channel && $0.verdict == .delivered
        }
        if deliveredCount > 1 { find("recorded as delivered \(deliveredCount) times: \(text)") }
        guard outside.effects[destination] == nil else { continue }
        if deliveredCount > 0 { find("recorded as delivered, but not received: \(text)") }
        if !isAccounted { find("lost: \(text)") }
      }
    }
  }

  /// Returns whether a fallback channel has received the delivery or accounts for it.
  private func hasFallback(_ notification: RecordedNotification) -> Bool {
    let others = ChannelSet.all.subtracting(notification.channels)
    return others.channels.contains { channel in
      let destination = Outside.Destination(notification: notification.identifier, channel: channel)
      return outside.effects[destination] != nil
        || notification.retries.contains { $0.channel == channel && $0.due == nil }
        || notification.attempts.contains { $0.channel == channel && $0.verdict == .dropped }
    }
  }

  /// Checks that no file contains an erased recipient's texts (rule H4).
  private func judgeErasure(of name: String) throws {
    guard let erasure = erasures[name] else { return }
    let texts = diary.events.filter {
      $0.recipient == name && $0.type == "notification.requested" && $0.time < erasure
    }
    guard let first = texts.first else { return }
    let text = "Word \(first.identifier) for \(name)"
    let files = try directory.files(containing: text)
    if !files.isEmpty { find("\"\(text)\" of the erased \(name) is in \(files)") }
  }

  // MARK: - The run equals its simulation (rule L1)

  private func judgeTimeline(_ people: [String: StoredPerson]) throws {
    var simulation = Simulation(
      planner: diary.planner, events: diary.events, until: diary.until)
    var expected: Set<Line> = []
    var excused: Set<Line> = []
    try simulation.run { entries in
      for entry in entries where !isGone(entry) {
        expected.insert(Line(entry))
        if mayBeGone(.notifications, of: entry.at) { excused.insert(Line(entry)) }
      }
    }
    var actual = Set(outside.effects.values.map(Line.init))
    for person in people.values { person.addLines(to: &actual, &excused, outside) }
    let missing = expected.subtracting(actual).subtracting(excused).map(\.text).sorted()
    let surplus = actual.subtracting(expected).subtracting(excused).map(\.text).sorted()
    for line in missing.prefix(3) { find("simulated, but missing: \(line)") }
    for line in surplus.prefix(3) { find("not simulated, but present: \(line)") }
  }

  // MARK: - A trusted leap loses nothing (rules T6, T11)

  private func judgeCompleteness(_ people: [String: StoredPerson]) throws {
    var complete = Completeness(diary.planner)
    for delivery in outside.effects.values { complete.add(delivery) }
    for person in people.values {
      for notification in person.notifications { complete.add(notification, of: person.name) }
    }
    var simulation = Simulation(
      planner: diary.planner, events: eventsWithStoredTimes(people), until: diary.until)
    var missing: [String] = []
    try simulation.run { entries in
      for entry in entries where erasures[entry.recipient] == nil && !isLate(entry) {
        // Only the pruned row recorded the delivery to the inbox.
        if entry.channel == .inapp, mayBeGone(.notifications, of: entry.at) { continue }
        if let line = complete.missingLine(for: entry) { missing.append(line) }
      }
    }
    for line in missing.prefix(3) { find("lost by a wrong clock: \(line)") }
  }

  /// Returns the app's events with their stored times.
  private func eventsWithStoredTimes(_ people: [String: StoredPerson]) -> [Event] {
    var times: [String: Instant] = [:]
    for person in people.values {
      for event in person.events { times[event.identifier] = event.time }
    }
    let events = diary.events.map { event in
      guard let reported = reports[event.identifier]?.last else { return event }
      let time = times[event.identifier] ?? reported
      return Event(
        identifier: event.identifier, source: event.source, type: event.type,
        recipient: event.recipient, time: time, isTimeGiven: true, content: event.content,
        data: event.data)
    }
    return events.enumerated()
      .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
  }

  /// Returns whether an occurrence was due while the clock was wrong, and quiet hours may have held
  /// it until it expired.
  private func isLate(_ entry: TimelineEntry) -> Bool {
    excursions.contains { excursion in
      entry.at >= excursion.start && entry.planned <= excursion.end
        && quiet.areOn(for: entry.recipient, at: excursion.end)
    }
  }

  /// Returns whether an erasure has removed the record of a drop.
  private func isGone(_ entry: TimelineEntry) -> Bool {
    guard entry.outcome == .dropped, let erasure = erasures[entry.recipient] else { return false }
    return entry.planned <= erasure
  }
}
