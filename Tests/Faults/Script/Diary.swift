import CivilTime
import JSON
import Reminders
import TestSupport

/// Random events of several recipients over some weeks around daylight saving changes, in order of
/// time.
struct Diary {
  let planner: Planner
  let start: Instant
  /// The end of the diary's days.
  let until: Instant
  /// The names of the recipients.
  let names: [String]
  /// The recipients with most of the events.
  private let busy: [String]
  private(set) var events: [Event] = []
  var random: SplitMix64
  /// The highest completed lesson of each recipient.
  private var days: [String: Int64] = [:]
  /// The identifiers of each recipient's booked visits.
  private var visits: [String: [String]] = [:]
  /// The ids of the events by which notifications for each recipient were requested.
  private var requests: [String: [String]] = [:]

  private static let zones = [
    "America/New_York", "Australia/Lord_Howe", "Africa/Cairo", "Asia/Kathmandu", "UTC",
    "Pacific/Chatham", "Pacific/Kiritimati", "Europe/London", "America/Santiago",
  ]

  /// - Parameters:
  ///   - length: the number of days.
  ///   - people: the number of recipients; a few if nil.
  ///   - burst: the additional occurrences of one recipient.
  init(
    seed: UInt64, length: Int, planner: Planner, people: Int? = nil, burst: Burst? = nil
  ) throws {
    self.planner = planner
    random = SplitMix64(seed: seed)
    let dates: [Int64] = [1_772_668_800, 1_774_483_200, 1_776_643_200, 1_792_454_400]
    let date = Instant(milliseconds: random.pick(dates) * 1_000)
    start = date + .milliseconds(random.int(in: 0..<86_400_000))
    until = start + .days(length)
    let few = random.int(in: 2..<7)
    names = (1...(people ?? few)).map { "u\($0)" }
    busy = Array(names.prefix(few))
    if people != nil { try addFirstEvents() }
    var time = start
    while time < until {
      try addMoment(at: &time)
    }
    if let burst { try add(burst) }
    if people != nil { sort() }
  }

  /// The number of days multiplied by the number of recipients.
  var userDays: Double {
    Double(names.count) * Double((until - start).milliseconds) / 86_400_000
  }

  /// Adds the first events of all recipients, many at once.
  private mutating func addFirstEvents() throws {
    for name in names {
      let time = start + .hours(random.int(in: 1..<24))
      let zone = random.isOne(of: 2) ? Self.zones[0] : random.pick(Self.zones)
      try add(name, time, "recipient.updated", ["timezone": .string(zone)])
      if random.isOne(of: 2) { try addLesson(name, time) }
      if random.isOne(of: 3) { try add(name, time, "preferences.updated", quietHours()) }
      if random.isOne(of: 4) { try add(name, time, "preferences.updated", timeOfDay()) }
      if random.isOne(of: 5) { try add(name, time, "streak.started", [:]) }
    }
  }

  /// Adds one to three events, each up to about eight hours after the previous event. One event in
  /// six has the instant of the previous event.
  private mutating func addMoment(at time: inout Instant) throws {
    for _ in 0..<random.int(in: 1..<4) {
      let name = random.pick(busy.count == names.count || random.isOne(of: 2) ? names : busy)
      if !random.isOne(of: 6) { time += .milliseconds(random.int(in: 1..<30_000_000)) }
      guard time < until else { return }
      let isErasure = random.isOne(of: 60)
      // An occurrence that is due at the very instant of an erasure reaches no sink. The
      // simulation, which has no sinks, would expect its delivery.
      if isErasure { time += .milliseconds(1) }
      try isErasure ? add(name, time, "recipient.deleted", [:]) : addSomething(name, time)
    }
  }

  private mutating func addSomething(_ name: String, _ time: Instant) throws {
    switch random.int(in: 0..<34) {
    case 0..<5: try addLesson(name, time)
    case 5..<8: try add(name, time, "relapse", [:])
    case 8: try add(name, time, "streak.started", [:])
    case 9..<11:
      let days = random.pick([Int64(1), 3, 7, 14])
      try add(name, time, "milestone.reached", ["days": .integer(days)])
    case 11..<14: try add(name, time, "preferences.updated", quietHours())
    case 14..<16: try add(name, time, "preferences.updated", timeOfDay())
    case 16..<18: try add(name, time, "preferences.updated", randomSwitch())
    case 18..<21: try add(name, time, "notification.opened", ["notification": "n"])
    case 21..<24: try addVisit(name, time)
    case 24: try cancelVisit(name, time)
    case 25..<30: try addRequest(name, time)
    case 30..<32: try cancelRequest(name, time)
    default:
      try add(name, time, "recipient.updated", ["timezone": .string(random.pick(Self.zones))])
    }
  }

  private mutating func addLesson(_ name: String, _ time: Instant) throws {
    let day = min(30, max(1, (days[name] ?? 0) + Int64(random.int(in: -1..<3))))
    days[name] = max(day, days[name] ?? 0)
    try add(name, time, "lesson.completed", ["day": .integer(day)])
  }

  private mutating func addVisit(_ name: String, _ time: Instant) throws {
    visits[name, default: []].append("v\(events.count)")
    let at = time + .milliseconds(random.int(in: 0..<400_000_000))
    try addVisit(name, time, at: at)
  }

  mutating func addVisit(_ name: String, _ time: Instant, at: Instant) throws {
    let visit = "v\(events.count)"
    try add(
      name, time, "visit.booked",
      ["visit": .string(visit), "at": .string(at.description), "who": .string("Dr. \(visit)")])
  }

  private mutating func cancelVisit(_ name: String, _ time: Instant) throws {
    guard let known = visits[name], !known.isEmpty else { return }
    try add(name, time, "visit.cancelled", ["visit": .string(random.pick(known))])
  }

  private mutating func addRequest(_ name: String, _ time: Instant) throws {
    requests[name, default: []].append("\(events.count)")
    let isForLater = !random.isOne(of: 3)
    let at = isForLater ? time + .milliseconds(random.int(in: 0..<200_000_000)) : nil
    try addRequest(name, time, at: at)
  }

  /// Every text is unique. Most texts are so long that a recipient's requests span several rows.
  mutating func addRequest(_ name: String, _ time: Instant, at: Instant?) throws {
    let rest = events.count % 4 == 0 ? "" : String(repeating: ", and more", count: 170)
    var data: JSONObject = [
      "category": "ASKED", "title": .string("For \(name)"),
      "body": .string("Word \(events.count) for \(name)\(rest)"),
    ]
    if let at { data["at"] = .string(at.description) }
    try add(name, time, "notification.requested", .object(data))
  }

  private mutating func cancelRequest(_ name: String, _ time: Instant) throws {
    guard let known = requests[name], !known.isEmpty else { return }
    try add(
      name, time, "notification.cancelled", ["notification": .string(random.pick(known))])
  }

  private mutating func quietHours() -> JSONValue {
    let start = random.int(in: 0..<96)
    let end = (start + random.int(in: 1..<96)) % 96
    return [
      "quietHours": [
        "enabled": .bool(!random.isOne(of: 4)), "start": .string(Self.time(start)),
        "end": .string(Self.time(end)),
      ]
    ]
  }

  private mutating func timeOfDay() -> JSONValue {
    let time = JSONValue.string(Self.time(random.int(in: 0..<96)))
    return ["reminders": .object([random.pick(["checkin", "lesson", "notes"]): ["time": time]])]
  }

  private mutating func randomSwitch() -> JSONValue {
    let isOn = JSONValue.bool(!random.isOne(of: 3))
    return random.pick([
      ["reminders": .object([random.pick(["checkin", "lesson", "milestone"]): ["enabled": isOn]])],
      ["channels": ["push": isOn]], ["master": isOn],
      ["categories": .object([random.pick(["CHECKIN", "RECOVERY", "NOTE"]): ["push": isOn]])],
    ])
  }

  /// Adds the erasure of a recipient who has got a notification.
  mutating func addErasure(at time: Instant) throws {
    try add(names[0], time, "recipient.deleted", [:])
    sort()
  }

  /// Sorts by time, and events of one instant in the order of insertion.
  mutating func sort() {
    events = events.enumerated().sorted {
      ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
    }
    .map(\.element)
  }

  mutating func add(
    _ name: String, _ time: Instant, _ type: String, _ data: JSONValue
  ) throws {
    events.append(
      try Self.event("\(events.count)", type, of: name, at: time, data, planner))
  }

  static func event(
    _ identifier: String, _ type: String, of recipient: String, at time: Instant,
    _ data: JSONValue, _ planner: Planner
  ) throws -> Event {
    try EventReader(planner: planner).event(
      [
        "specversion": "1.0", "id": .string(identifier), "source": "app", "type": .string(type),
        "subject": .string(recipient), "time": .string(time.description), "data": data,
      ], now: nil)
  }

  /// Returns the time of day that is `quarter` quarters of an hour after midnight.
  private static func time(_ quarter: Int) -> String {
    let hour = quarter / 4
    return (hour < 10 ? "0" : "") + "\(hour):" + ["00", "15", "30", "45"][quarter % 4]
  }
}
