import CivilTime
import JSON
import Reminders
import TestSupport

/// A random day of a recipient with caps. A slot is one of the notifications that the daily cap
/// allows (rule V5). The day has requests made just after midnight and later, their cancellations,
/// and occurrences that quiet hours release together.
struct SlotDay {
  /// A requested notification.
  struct Wish {
    let title: String
    /// The index of its category in ``SlotDay/urgencies``.
    let urgency: Int
    let requestedAt: Instant
    let planned: Instant
    /// The instant of the cancellation; nil if there is none.
    let cancelledAt: Instant?
  }

  static let catalog = """
    catalog: apps
    categories:
      LOW: {title: Low, urgency: low, channels: {push: true}}
      NORMAL: {title: Normal, urgency: normal, channels: {push: true}}
      HIGH: {title: High, urgency: high, channels: {push: true}}
    reminders: {}
    """
  static let urgencies = ["LOW", "NORMAL", "HIGH"]
  static let expires = TimeSpan.hours(12)

  let midnight: Instant
  let wishes: [Wish]
  /// The least number of occurrences that become a digest; 0 for no digests.
  let threshold: Int64
  private let preferences: JSONValue

  init(_ random: inout SplitMix64) throws {
    midnight = try utc("2026-03-06 00:00")
    var caps: JSONObject = ["perDay": .integer(Int64.random(in: 1...4, using: &random))]
    if Bool.random(using: &random) {
      caps["minInterval"] = .string("\(Int.random(in: 5...120, using: &random))m")
    }
    var preferences: JSONObject = ["caps": .object(caps)]
    threshold = [0, 2, 3].randomElement(using: &random) ?? 0
    preferences["bundling"] = ["threshold": .integer(threshold)]
    if Bool.random(using: &random) {
      preferences["quietHours"] = ["enabled": true, "start": "01:00", "end": "09:30"]
    }
    self.preferences = .object(preferences)
    let start = midnight
    wishes = (0..<Int.random(in: 3...14, using: &random)).map {
      Self.wish($0, from: start, &random)
    }
  }

  private static func wish(
    _ number: Int, from midnight: Instant, _ random: inout SplitMix64
  ) -> Wish {
    let isAhead = Bool.random(using: &random)
    let requestedAt =
      midnight + .minutes(Int.random(in: 1..<(isAhead ? 20 : 1_300), using: &random))
    let planned = requestedAt + .minutes(Int.random(in: 1..<700, using: &random))
    let isCancelled = Int.random(in: 0..<5, using: &random) == 0
    let delay = Int.random(in: 1..<600, using: &random)
    return Wish(
      title: "wish \(number)", urgency: Int.random(in: 0...2, using: &random),
      requestedAt: requestedAt,
      planned: planned, cancelledAt: isCancelled ? requestedAt + .minutes(delay) : nil)
  }

  /// Returns the deliveries by title, if only some of the requests are made.
  ///
  /// - Parameters:
  ///   - isCapped: Whether interval and cap apply.
  ///   - isRequested: Whether a request is made.
  func deliveries(
    isCapped: Bool = true, where isRequested: (Wish) -> Bool = { _ in true }
  ) throws -> [String: Player.Entry] {
    let deliveries = try entries(isCapped: isCapped, where: isRequested)
      .filter { $0.outcome != .dropped && $0.reminder != "digest" }
    return Dictionary(deliveries.map { ($0.title, $0) }) { first, _ in first }
  }

  /// Returns all outcomes.
  func entries(
    isCapped: Bool = true, where isRequested: (Wish) -> Bool = { _ in true }
  ) throws -> [Player.Entry] {
    var player = Player(planner: try Fixtures.planner(catalog: Self.catalog), now: midnight)
    try player.take("preferences.updated", preferences)
    if !isCapped {
      try player.take("preferences.updated", ["caps": ["perDay": nil, "minInterval": nil]])
    }
    for (time, act) in acts(of: wishes.filter(isRequested)) {
      player.advance(to: time)
      try act(&player)
    }
    player.advance(to: midnight + .days(2))
    return player.entries
  }

  /// Returns whether no request is made or cancelled after one instant and up to another instant.
  func hasNoRequests(_ start: Instant, _ end: Instant) -> Bool {
    !wishes.contains { wish in
      [wish.requestedAt, wish.cancelledAt].compactMap { $0 }.contains { start < $0 && $0 <= end }
    }
  }

  private func acts(of wishes: [Wish]) -> [(time: Instant, act: (inout Player) throws -> Void)] {
    var acts: [(time: Instant, act: (inout Player) throws -> Void)] = []
    for wish in wishes {
      let data: JSONValue = [
        "category": .string(Self.urgencies[wish.urgency]), "title": .string(wish.title),
        "body": "b", "at": .string(wish.planned.description), "expires": "12h",
      ]
      acts.append(
        (wish.requestedAt, { try $0.take("notification.requested", data, id: wish.title) }))
      guard let cancelledAt = wish.cancelledAt else { continue }
      let identity: JSONValue = ["notification": .string(wish.title)]
      acts.append((cancelledAt, { try $0.take("notification.cancelled", identity) }))
    }
    return acts.sorted { $0.time < $1.time }
  }
}
