package import CivilTime

/// Why an occurrence goes out when it does, or does not: every gate, what it looked at, and what it
/// said, at each instant at which it was asked (rule V8).
package struct Explanation: Sendable {
  /// What one gate said.
  package struct Step: Hashable, Sendable {
    package var gate: Gate
    package var finding: Finding
    /// What it looked at, in words.
    package var input: String
  }

  /// One instant at which all gates were asked.
  package struct Round: Hashable, Sendable {
    package var at: Instant
    package var steps: [Step]

    package var objections: [Step] { steps.filter { $0.finding.isObjection } }
  }

  package var recipient: String
  package var reminder: String
  package var category: String
  package var channels: [Channel]
  package var zone: Zone
  package var planned: Instant
  /// How the planned time of day was chosen, where it follows the person's habits (rule M3).
  package var timing: String?
  package var rounds: [Round]
  package var decision: Decision
  /// What may make it wrong: holidays that are known no further, in a sentence.
  package var warning: String?
  /// What the slot is kept for that it waits for (rule V5).
  package var waitsFor: SlotKeeping?

  /// What would be different without the gates that objected, in one sentence; nil if none did.
  package var counterfactual: String? {
    guard let first = rounds.first, let objections = rounds.firstObjections else { return nil }
    return "would go at \(zone.written(first.at)) but for \(objections)"
  }
}

/// For whom a slot is kept: a reminder's identifier, and the instant.
package struct SlotKeeping: Hashable, Sendable {
  package var reminder: String
  package var at: Instant
}

extension PlanningContext {
  package func keeping(_ beneficiary: KeptSlots.Beneficiary) -> SlotKeeping? {
    catalog.reminder(beneficiary.reminder).map {
      SlotKeeping(reminder: $0.identifier, at: beneficiary.at)
    }
  }
}

extension Finding {
  /// Whether it holds or drops.
  package var isObjection: Bool {
    switch self {
    case .passes, .silences: false
    case .holds, .drops: true
    }
  }

  package var word: String {
    switch self {
    case .passes: "passes"
    case .silences: "silences"
    case .holds: "holds"
    case .drops: "drops"
    }
  }
}

extension Zone {
  /// "2026-03-02 21:00 Europe/Berlin".
  package func written(_ instant: Instant) -> String {
    "\(local(at: instant)) \(name)"
  }
}

extension Explanation {
  /// Asks the gates as they are asked when it fires, and writes everything down.
  init(
    recipient: String, caption: Message, channels: ChannelSet, input: GateInput,
    from start: Instant
  ) {
    (rounds, decision) = [Round].asking(input, from: start)
    self.recipient = recipient
    reminder = caption.reminder
    category = caption.category
    self.channels = channels.channels
    zone = input.zone
    planned = input.planned
  }
}

extension [Explanation.Round] {
  /// The rounds that end where all gates pass, or one drops.
  static func asking(_ input: GateInput, from start: Instant) -> (rounds: Self, Decision) {
    var rounds: Self = []
    let decision = Gates.decide(input, from: start) { instant, gate, finding in
      if rounds.last?.at != instant { rounds.append(Element(at: instant, steps: [])) }
      let step = Explanation.Step(
        gate: gate, finding: finding, input: input.words(for: gate, at: instant))
      rounds[rounds.count - 1].steps.append(step)
    }
    return (rounds, decision)
  }

  /// Lets what the gates say now take the place of what was foreseen for now and later.
  mutating func replaceForeseen(by rounds: Self) {
    guard let first = rounds.first else { return }
    removeAll { $0.at >= first.at }
    self += rounds
  }

  /// What objected when the gates were asked for the first time, in words that fit after "but for".
  var firstObjections: String? {
    guard let objections = first?.objections, !objections.isEmpty else { return nil }
    return objections.map(\.input).joined(separator: " and ")
  }
}

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
