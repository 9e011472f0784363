package import CivilTime

/// Why an occurrence goes out when it does, or does not: every gate, what it looked at, and what it
/// said, at each instant at which it was asked (rule V8).
package struct Explanation: Sendable {
  /// What one gate said.
  package struct Step: Hashable, Sendable {
    package var gate: Gate
    package var finding: Finding
    /// What it looked at.
    package var fact: GateFact
    /// The same in words.
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

  /// The gates without which it would go at the first instant at which they were asked; nil if
  /// there are none.
  package internal(set) var counterfactual: Counterfactual?

  /// The counterfactual in one sentence.
  package var difference: String? {
    counterfactual.map { "would go at \($0.words(in: zone))" }
  }

  /// Says that it goes out as part of a digest, which is decided when all its gates are open.
  mutating func noteDigest() {
    if decision.outcome == .bundled { rounds.noteDigest() }
  }
}

/// The occurrence that a slot is kept for: its reminder's identifier, and the instant.
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
    recipient: String, message: Message, channels: ChannelSet, input: GateInput,
    from start: Instant
  ) {
    (rounds, decision) = [Round].asking(input, from: start)
    decision = decision.shown(planned: input.planned)
    self.recipient = recipient
    reminder = message.reminder
    category = message.category
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
      let fact = input.fact(for: gate, at: instant)
      let step = Explanation.Step(
        gate: gate, finding: finding, fact: fact, input: fact.words(in: input.zone))
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

  mutating func noteDigest() {
    guard !isEmpty else { return }
    let fact = GateFact.gate(.bundling)
    self[count - 1].steps.append(
      Explanation.Step(gate: .bundling, finding: .passes, fact: fact, input: Gate.bundling.words))
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
    case .bundling: "a digest, as part of which it goes"
    case .missed: "a later one that was due as well, or a turn that the service missed"
    case .emailFrequency: "e-mail that is collected"
    case .withdrawn: "what has taken it back since"
    }
  }
}
