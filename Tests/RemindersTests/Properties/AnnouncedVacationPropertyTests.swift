import CivilTime
import JSON
import Reminders
import TestSupport
import Testing

/// Rule V16: it makes no difference whether a vacation is announced before it begins, or reported
/// when it begins.
@Suite struct AnnouncedVacationPropertyTests {
  private static let zones = ["UTC", "America/New_York", "Asia/Kathmandu", "Europe/Berlin"]

  /// Formats an outcome without its reasons. The reasons may differ: they also name gates that were
  /// closed when a vacation was reported, even if these gates would not have held the occurrence.
  private static func format(_ entry: Player.Entry) -> String {
    var entry = entry
    entry.reasons = []
    return DiaryLine.format(entry)
  }

  @Test(arguments: Seeds.all)
  func `V16: an announced vacation acts as one that begins at its first day`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var heldCount = 0
    for number in 0..<15 {
      let life = try AwayLife(&random, zone: random.pick(Self.zones))
      let (announced, reported) = (try life.entries(isAnnounced: true), try life.entries())
      let difference = announced.map(Self.format).difference(from: reported.map(Self.format))
      #expect(difference.isEmpty, "seed \(seed), life \(number): \(life.vacations)")
      heldCount += announced.count { $0.reasons.contains("vacation") }
    }
    #expect(heldCount > 0, "seed \(seed)")
  }
}

/// A life with requested notifications and vacations. At least two days are between two vacations.
private struct AwayLife {
  private struct Report {
    let time: Instant
    let type: String
    let data: JSONValue
    /// Whether the report begins a vacation that was not announced.
    var beginsVacation = false
  }

  private let zone: Zone
  private let start: Instant
  private let preferences: JSONValue
  /// The vacations. `end` is the instant at which the recipient ends the vacation early, and
  /// `namesStart` is whether that report names the vacation's first date.
  private(set) var vacations:
    [(from: LocalDate, until: LocalDate, end: Instant?, namesStart: Bool)] = []
  private var requests: [Report] = []

  init(_ random: inout SplitMix64, zone name: String) throws {
    zone = try Fixtures.zone(name)
    start = try utc("2026-03-01 18:00")
    preferences = [
      "quietHours": [
        "enabled": .bool(random.isOne(of: 2)), "start": .string(random.pick(["21:00", "23:30"])),
        "end": .string(random.pick(["06:00", "09:00"])),
      ],
      "bundling": ["threshold": .integer(Int64(random.pick([0, 2, 3])))],
      "caps": ["perDay": random.pick([nil, 2, 5])],
    ]
    var first = zone.date(at: start) + random.int(in: 1..<4)
    for _ in 0..<random.int(in: 1..<4) {
      let last = first + random.int(in: 0..<3)
      let begin = zone.instant(of: first, at: .midnight)
      let hours = random.int(in: 1..<40)
      let end = random.isOne(of: 3) ? begin + .hours(hours) : nil
      vacations.append((first, last, end, random.isOne(of: 2)))
      first = last + random.int(in: 3..<5)
    }
    for number in 0..<random.int(in: 10..<40) {
      let minute = random.int(in: 0..<20_000)
      requests.append(
        Report(
          time: start + .minutes(minute), type: "notification.requested",
          data: [
            "category": .string(random.pick(SlotDay.urgencies)), "title": .string("\(number)"),
            "body": "b", "expires": "60d",
          ]))
    }
  }

  /// Returns the outcomes.
  ///
  /// - Parameter isAnnounced: whether the vacations are announced at the start of the life.
  func entries(isAnnounced: Bool = false) throws -> [Player.Entry] {
    var player = Player(planner: try Fixtures.planner(catalog: SlotDay.catalog), now: start)
    try player.take("recipient.updated", ["timezone": .string(zone.name)])
    try player.take("preferences.updated", preferences)
    for report in reports(isAnnounced: isAnnounced).sorted(by: { $0.time < $1.time }) {
      // A vacation begins before anything else is due at the same instant.
      player.advance(to: report.beginsVacation ? report.time - .milliseconds(1) : report.time)
      try player.take(report.type, report.data, at: report.time)
    }
    player.advance(to: start + .days(40))
    return player.entries
  }

  private func reports(isAnnounced: Bool) -> [Report] {
    vacations.reduce(into: requests) { reports, vacation in
      let midnight = zone.instant(of: vacation.from, at: .midnight)
      let from = JSONValue.string("\(vacation.from)")
      var data: JSONObject = ["until": .string("\(vacation.until)")]
      if isAnnounced { data["from"] = from }
      reports.append(
        Report(
          time: isAnnounced ? start : midnight, type: "vacation.started", data: .object(data),
          beginsVacation: !isAnnounced))
      guard let end = vacation.end else { return }
      let namesStart = isAnnounced && vacation.namesStart
      reports.append(
        Report(time: end, type: "vacation.ended", data: namesStart ? ["from": from] : [:]))
    }
  }
}
