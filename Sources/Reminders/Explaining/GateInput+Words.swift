import CivilTime

extension Gate {
  /// What it stands for where nothing is known of what it looked at.
  var words: String {
    switch self {
    case .expiry: "its expiry"
    case .master: "the master switch"
    case .category: "the switches of category and channel"
    case .address: "a missing address or a denied permission"
    case .vacation: "a vacation"
    case .calendar: "a day of rest"
    case .quietHours: "quiet hours"
    case .minimumInterval: "the minimum interval"
    case .dailyCap: "the daily cap"
    case .bundling: "the digest"
    case .missed: "a later one that was due as well"
    case .emailFrequency: "e-mail that is collected"
    case .withdrawn: "what has taken it back since"
    }
  }
}

extension GateInput {
  /// What a gate looks at, in words that fit after "but for".
  func words(for gate: Gate, at instant: Instant) -> String {
    switch gate {
    case .expiry: "its expiry at \(zone.written(expiry))"
    case .master: "the master switch, which is \(isMasterOn ? "on" : "off")"
    case .category: "the switches of category and channel, which are \(isCategoryOn ? "on" : "off")"
    case .address:
      isReachable ? "an address that can be reached" : "a missing address or a denied permission"
    case .vacation:
      vacation.map { "a vacation until \(zone.written($0.end))" + vacationExemption }
        ?? "no vacation"
    case .calendar: rest == .none ? "a date without rest" : "a day of rest"
    case .quietHours: quietWords
    case .minimumInterval: intervalWords
    case .dailyCap: capWords(at: instant)
    case .emailFrequency:
      collection.map { "e-mail that is collected until \(zone.written($0))" } ?? "e-mail at once"
    case .bundling, .missed, .withdrawn: gate.reason
    }
  }

  /// Why a gate lets through what it would hold otherwise (rule V3).
  private var exemption: String {
    switch urgency {
    case .critical, .mandatory: ", which \(urgency) passes"
    case .low, .normal, .high: ""
    }
  }

  private var vacationExemption: String {
    vacationAction == .pass ? ", which its category passes" : exemption
  }

  private var quietWords: String {
    guard quietHours.isEnabled else { return "no quiet hours" }
    let days = Weekday.allCases.filter { quietHours.days & $0.bit != 0 }
    let names = days.isEmpty ? "no day" : days.map(\.name).joined(separator: ", ")
    return "quiet hours \(quietHours.start)-\(quietHours.end) \(zone.name)"
      + (days.count == Weekday.allCases.count ? "" : " on \(names)") + quietExemption
  }

  private var quietExemption: String {
    if isInteractive { return " (the person is in the app)" }
    return urgency == .critical && !quietHours.allowsCritical ? "" : exemption
  }

  private var intervalWords: String {
    guard let minimumInterval else { return "no minimum interval" }
    guard isCounted else { return "a minimum interval of \(minimumInterval), not kept by this" }
    let last = recent.last.map { "the last at \(zone.written($0))" } ?? "nothing said yet"
    return "a minimum interval of \(minimumInterval), \(last)"
  }

  private func capWords(at instant: Instant) -> String {
    guard let capPerDay else { return "no daily cap" }
    guard isCounted else { return "a daily cap of \(capPerDay), not kept by this" }
    let date = zone.date(at: instant)
    let count = recent.count { zone.date(at: $0) == date }
    return "a daily cap of \(capPerDay), \(count) said on \(date)"
  }
}
