import CivilTime
import JSON
import Reminders

/// The quiet hours of people, computed from their events independently of the gates.
struct QuietTimes {
  private struct State {
    var isOn = false
    var start = LocalTime.midnight
    var end = LocalTime.midnight
    var zone: Zone

    mutating func apply(_ quiet: JSONObject) {
      if case .bool(let isOn)? = quiet["enabled"] { self.isOn = isOn }
      if let time = QuietTimes.time(quiet["start"]) { start = time }
      if let time = QuietTimes.time(quiet["end"]) { end = time }
    }

    /// Returns whether an instant is in a window that began today or yesterday.
    func covers(_ instant: Instant) -> Bool {
      let today = zone.date(at: instant)
      return [today, today - 1].contains { date in
        let last = end.minuteOfDay > start.minuteOfDay ? date : date + 1
        return zone.instant(of: date, at: start) <= instant
          && instant < zone.instant(of: last, at: end)
      }
    }
  }

  private let planner: Planner
  /// The settings of each person with the instants since which they apply, ascending.
  private var states: [String: [(since: Instant, state: State)]] = [:]

  init(_ diary: Diary) {
    planner = diary.planner
    for event in diary.events { note(event) }
  }

  /// Adds the settings of a person after an event.
  private mutating func note(_ event: Event) {
    let initialState = State(zone: planner.defaultZone)
    var state = states[event.recipient]?.last?.state ?? initialState
    if event.type == "recipient.deleted" { state = initialState }
    let data = event.data.withUnsafeBytes { try? JSONParser().parse($0) }
    if case .object(let object)? = data {
      if let name = object["timezone"]?.stringValue,
        let zone = try? planner.zones.zone(named: name)
      {
        state.zone = zone
      }
      if case .object(let quiet)? = object["quietHours"] { state.apply(quiet) }
    }
    states[event.recipient, default: []].append((event.time, state))
  }

  /// Returns the finding for a delivery that is dispatched at `now`; nil if there is none. At the
  /// instant of a change, either the previous or any of the new settings may apply.
  func flaw(of delivery: Reminders.Delivery, dispatchedAt now: Instant) -> String? {
    guard delivery.channel != .inapp, let history = states[delivery.recipient] else { return nil }
    // A service whose clock is ahead has not received events that are later than `now` either.
    let received = history.filter { $0.since <= now }
    let previous = received.last { $0.since < delivery.at }.map { [$0] } ?? []
    let possible = previous + received.filter { $0.since == delivery.at }
    guard !possible.isEmpty,
      possible.allSatisfy({ $0.state.isOn && $0.state.covers(delivery.at) })
    else { return nil }
    return "delivered in quiet hours: \(Line(delivery).text)"
  }

  /// Returns whether a person has quiet hours at an instant.
  func areOn(for recipient: String, at instant: Instant) -> Bool {
    let state = states[recipient]?.last { $0.since <= instant }?.state
    return state.map { $0.isOn && $0.covers(instant) } ?? false
  }

  /// Parses "HH:mm".
  private static func time(_ value: JSONValue?) -> LocalTime? {
    let numbers = value?.stringValue?.split(separator: ":").compactMap { Int($0) } ?? []
    return numbers.count == 2 ? LocalTime(hour: numbers[0], minute: numbers[1]) : nil
  }
}
