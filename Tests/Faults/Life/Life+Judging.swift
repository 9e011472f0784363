import CivilTime
import Reminders
import SQLiteStore
import Store

/// Checks of the disk's content after a run.
extension Life {
  func judgeAll() throws {
    let store = try SQLiteStore(
      directory: directory.path, hash: IdentityHash(width: circumstances.hashWidth))
    let people = try Dictionary(
      uniqueKeysWithValues: diary.names.map { ($0, try Kept($0, in: store)) })
    for name in diary.names {
      guard let kept = people[name] else { continue }
      judgeEvents(kept)
      judgeTimes(kept)
      judgeInbox(kept)
      judgeReceivers(kept)
      try judgeErasure(of: name)
    }
    if script.isExact { try judgeTimeline(people) }
    if script.isComplete { try judgeCompleteness(people) }
  }

  /// Checks that the acknowledged events are stored once, and no others (rules E1, E3).
  private func judgeEvents(_ kept: Kept) {
    let own = diary.events.filter { $0.recipient == kept.name && $0.time <= clocks.now }
    let last = own.lastIndex { $0.type == "recipient.deleted" }
    let expected = own[(last.map { $0 + 1 } ?? 0)...].map(\.identifier).sorted()
    let found = kept.events.map(\.identifier).sorted()
    judgeRetention(kept)
    guard found != expected else { return }
    let old = own.filter { mayBeGone(.events, of: $0.time) }.map(\.identifier)
    let missing = Set(expected).subtracting(found).subtracting(old).sorted()
    let surplus = Set(found).subtracting(expected).sorted()
    guard !missing.isEmpty || !surplus.isEmpty else { return }
    find("events of \(kept.name): lost \(missing), not expected \(surplus)")
  }

  /// Checks that old events are gone (rule H7), except requests, which may wait, and events from a
  /// clock that was ahead.
  private func judgeRetention(_ kept: Kept) {
    for event in kept.events where event.type != "notification.requested" {
      guard mayBeGone(.events, of: event.time + .days(1)),
        !excursions.contains(where: { $0.start <= event.time && event.time <= $0.end })
      else { continue }
      find("\(event.type) \(event.identifier) of \(event.time) is kept for too long")
    }
  }

  /// Whether a row is old enough to be pruned.
  func mayBeGone(_ part: RetentionPart, of time: Instant) -> Bool {
    circumstances.retention.map { time < clocks.now - $0.span(of: part) } ?? false
  }

  /// Checks that an event reported without a time is stored with the right time of one of its
  /// reports (rule T11).
  private func judgeTimes(_ kept: Kept) {
    for event in kept.events {
      guard let told = reports[event.identifier], !told.contains(event.time) else { continue }
      find("\(event.type) \(event.identifier) of \(told) is stored with \(event.time)")
    }
  }

  /// Checks that each notification for the inbox is in the inbox exactly once (rule D1).
  private func judgeInbox(_ kept: Kept) {
    let said = kept.notifications.filter {
      $0.outcome == .delivered && $0.channels.contains(ChannelSet(.inapp))
    }
    let (wanted, found) = (said.map(\.message.body).sorted(), kept.inbox.sorted())
    if wanted != found { find("the inbox of \(kept.name) has \(found), not \(wanted)") }
  }

  /// Checks that each delivery that passed the gates has reached the receiver or is accounted for
  /// (rules D1, D2).
  private func judgeReceivers(_ kept: Kept) {
    for notification in kept.notifications where notification.outcome == .delivered {
      for channel in notification.channels.channels where channel != .inapp {
        let destination = Outside.Destination(
          notification: notification.identifier, channel: channel)
        let isAccounted =
          notification.retries.contains { $0.channel == channel && $0.due == nil }
          || notification.attempts.contains { $0.channel == channel && $0.verdict == .dropped }
          || hasFallback(notification)
        let text = Line(notification, kept.name, channel).text
        let taken = notification.attempts.count {
          $0.channel == channel && $0.verdict == .delivered
        }
        if taken > 1 { find("recorded as delivered \(taken) times: \(text)") }
        guard outside.effects[destination] == nil else { continue }
        if taken > 0 { find("recorded as delivered, but not received: \(text)") }
        if !isAccounted { find("lost: \(text)") }
      }
    }
  }

  /// Whether a fallback channel has received the delivery or accounts for it.
  private func hasFallback(_ notification: KeptNotification) -> Bool {
    let others = ChannelSet.all.subtracting(notification.channels)
    return others.channels.contains { channel in
      let destination = Outside.Destination(notification: notification.identifier, channel: channel)
      return outside.effects[destination] != nil
        || notification.retries.contains { $0.channel == channel && $0.due == nil }
        || notification.attempts.contains { $0.channel == channel && $0.verdict == .dropped }
    }
  }

  /// Checks that no file contains an erased person's texts (rule H4).
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

  private func judgeTimeline(_ people: [String: Kept]) throws {
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
    for kept in people.values { kept.addLines(to: &actual, &excused, outside) }
    let missing = expected.subtracting(actual).subtracting(excused).map(\.text).sorted()
    let surplus = actual.subtracting(expected).subtracting(excused).map(\.text).sorted()
    for line in missing.prefix(3) { find("simulated, but missing: \(line)") }
    for line in surplus.prefix(3) { find("not simulated, but present: \(line)") }
  }

  // MARK: - A trusted leap loses nothing (rules T6, T11)

  private func judgeCompleteness(_ people: [String: Kept]) throws {
    var complete = Completeness(diary.planner)
    for delivery in outside.effects.values { complete.add(delivery) }
    for kept in people.values {
      for notification in kept.notifications { complete.add(notification, of: kept.name) }
    }
    var simulation = Simulation(
      planner: diary.planner, events: toldEvents(people), until: diary.until)
    var missing: [String] = []
    try simulation.run { entries in
      for entry in entries where erasures[entry.recipient] == nil && !isLate(entry) {
        // Only the pruned row recorded the delivery to the inbox.
        if entry.channel == .inapp, mayBeGone(.notifications, of: entry.at) { continue }
        if let line = complete.lacks(entry) { missing.append(line) }
      }
    }
    for line in missing.prefix(3) { find("lost by a wrong clock: \(line)") }
  }

  /// The app's events with their stored times.
  private func toldEvents(_ people: [String: Kept]) -> [Event] {
    var times: [String: Instant] = [:]
    for kept in people.values {
      for event in kept.events { times[event.identifier] = event.time }
    }
    let events = diary.events.map { event in
      guard let told = reports[event.identifier]?.last else { return event }
      let time = times[event.identifier] ?? told
      return Event(
        identifier: event.identifier, source: event.source, type: event.type,
        recipient: event.recipient, time: time, isTimeGiven: true, content: event.content,
        data: event.data)
    }
    return events.enumerated()
      .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
  }

  /// Whether an occurrence was due while the clock was wrong, and quiet hours may have held it
  /// until it expired.
  private func isLate(_ entry: TimelineEntry) -> Bool {
    excursions.contains { excursion in
      entry.at >= excursion.start && entry.planned <= excursion.end
        && quiet.areOn(for: entry.recipient, at: excursion.end)
    }
  }

  /// Whether an erasure has removed the record of a drop.
  private func isGone(_ entry: TimelineEntry) -> Bool {
    guard entry.outcome == .dropped, let erasure = erasures[entry.recipient] else { return false }
    return entry.planned <= erasure
  }
}
