import CivilTime
import JSON
import TestSupport
import Testing

@testable import Reminders

/// Rule V8 for random recipients. The statement "would be sent now if not for" is true of the gates
/// that it names. The statement is made whenever it is true of a single gate.
@Suite struct CounterfactualPropertyTests {
  private static let catalog = """
    catalog: apps
    events:
      visit: {visit: identifier, at: instant}
    categories:
      LOW: {title: Low, urgency: low, channels: {push: true}}
      NORMAL: {title: Normal, channels: {push: true, email: true}}
      HIGH: {title: High, urgency: high, overCap: drop, channels: {push: true}}
      CRITICAL: {title: Critical, urgency: critical, channels: {push: true}}
    groups:
      notes: {enabled: true}
    reminders:
      daily:
        {category: LOW, group: notes, expires: 3h, every: {day: {at: ["09:00", "21:30"]}},
        messages: [{title: Daily, body: "-"}]}
      visit:
        {category: NORMAL, group: notes, expires: 12h,
        before: {event: visit, at: at, by: 2h}, messages: [{title: Visit, body: "-"}]}
    """
  private static let urgencies = ["LOW", "NORMAL", "HIGH", "CRITICAL"]

  /// Returns a recipient after a random time, with some closed gates and some pending occurrences.
  ///
  /// - Parameter isAlone: Whether the catalog's reminders are off, so that only requests occur.
  private static func randomPlayer(_ random: inout SplitMix64, isAlone: Bool) throws -> Player {
    let start = try utc("2026-03-05 00:00")
    var player = Player(planner: try Fixtures.planner(catalog: catalog), now: start)
    var document: JSONObject = [
      "bundling": ["threshold": .integer(pick([0, 2, 3], &random))],
      "caps": [
        "perDay": pick([nil, 1, 2, 3], &random), "minInterval": pick([nil, "PT2H"], &random),
      ],
    ]
    if Int.random(in: 0..<4, using: &random) > 0 {
      document["quietHours"] = [
        "enabled": true, "start": pick(["20:00", "22:00", "12:00"], &random),
        "end": pick(["06:00", "10:00", "14:00"], &random),
      ]
    }
    if isAlone { document["reminders"] = ["notes": ["enabled": false]] }
    if Bool.random(using: &random) { document["email"] = ["frequency": "daily"] }
    if Bool.random(using: &random) { document["calendar"] = ["skipWeekends": true] }
    try player.take("recipient.updated", ["email": "amina@example.org"])
    try player.take("preferences.updated", .object(document))
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      try request(at: player.now + span(within: 36, &random), &player, &random)
    }
    player.advance(to: start + span(within: 40, &random))
    if Int.random(in: 0..<4, using: &random) == 0 {
      let from: JSONValue = Bool.random(using: &random) ? "2026-03-07" : nil
      try player.take("vacation.started", ["from": from, "until": "2026-03-08"])
    }
    return player
  }

  private static func request(
    at instant: Instant, _ player: inout Player, _ random: inout SplitMix64
  ) throws {
    try player.take(
      "notification.requested",
      [
        "category": .string(pick(urgencies, &random)), "title": "Word", "body": "-",
        "at": .string(instant.description), "expires": .string(pick(["2h", "12h", "3d"], &random)),
      ])
  }

  /// Returns a random span. Half of the spans are whole hours, which often coincide with the ends
  /// of quiet hours.
  private static func span(within hours: Int, _ random: inout SplitMix64) -> TimeSpan {
    Bool.random(using: &random)
      ? .hours(Int.random(in: 0...hours, using: &random))
      : .minutes(Int.random(in: 0...hours * 60, using: &random))
  }

  private static func pick<Choice>(_ choices: [Choice], _ random: inout SplitMix64) -> Choice {
    choices[Int.random(in: 0..<choices.count, using: &random)]
  }

  // MARK: - With other occurrences

  @Test(arguments: Seeds.all)
  func `V8: an occurrence would be sent without all stated gates, but not without one of several`(
    seed: UInt64
  ) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<12 {
      var player = try Self.randomPlayer(&random, isAlone: false)
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        try Self.request(at: player.now + Self.span(within: 30, &random), &player, &random)
      }
      let visit = player.now + .hours(Int.random(in: 3...40, using: &random))
      try player.take("visit", ["visit": "v", "at": .string(visit.description)])
      try Self.check(player, "seed \(seed)")
    }
  }

  private static func check(_ player: Player, _ comment: String) throws {
    let (recipient, now, planner) = (player.recipient, player.now, player.planner)
    for name in Set(
      recipient.pending(now: now, planner: planner).compactMap {
        planner.catalog.reminder($0.reminder)?.identifier
      })
    {
      let entries = recipient.pending(now: now, planner: planner).filter {
        planner.catalog.reminder($0.reminder)?.identifier == name
      }
      let explanations = try recipient.explain(
        .pending(reminder: name), now: now, planner: planner)
      #expect(explanations.count == entries.count)
      for (entry, explanation) in zip(entries, explanations).prefix(Recipient.counterfactualsMax) {
        check(OccurrenceInGroup(entry), explanation, of: player, "\(comment): \(entry)")
      }
      // One explanation request computes at most 16 counterfactuals (rule H6). For each further
      // entry, rule V8 is checked on a request for this occurrence alone.
      for (entry, explanation) in zip(entries, explanations).dropFirst(Recipient.counterfactualsMax)
      {
        #expect(explanation.counterfactual == nil, "\(comment): \(entry)")
        let reminder = try #require(planner.catalog.reminder(entry.reminder))
        let answers = try recipient.explain(
          .occurrence(reminder: planner.catalog.name(of: reminder), key: entry.key), now: now,
          planner: planner)
        let answer = try #require(
          answers.first { !$0.mask.isDisjoint(with: entry.channelGroup.channels) },
          "\(comment): \(entry)")
        #expect(answer.planned == entry.planned, "\(comment): \(entry)")
        check(OccurrenceInGroup(entry), answer, of: player, "\(comment): \(entry)")
      }
    }
  }

  private static func check(
    _ occurrence: OccurrenceInGroup, _ explanation: Explanation, of player: Player,
    _ comment: String
  ) {
    let isForward = explanation.rounds.first.map { $0.at < explanation.planned } ?? false
    let at = explanation.counterfactual?.at ?? explanation.rounds.first?.at ?? player.now
    let objections =
      isForward
      ? Gate.unconditional
      : explanation.rounds.first?.objections.map(\.gate) ?? []
    guard let stated = explanation.counterfactual else {
      guard !isForward else { return }
      let missing = objections.filter { isSent(occurrence, without: [$0], at: at, player) }
      #expect(missing.isEmpty, "\(comment), of \(objections) at \(at), now \(player.now)")
      return
    }
    let namedGates = stated.objections.map(gate)
    let isSentWithoutThem = isSent(occurrence, without: namedGates, at: at, player)
    #expect(isSentWithoutThem, "\(comment): \(namedGates)")
    let sufficientGates = namedGates.filter { isSent(occurrence, without: [$0], at: at, player) }
    #expect(namedGates.count == 1 || sufficientGates.isEmpty, "\(comment): of \(namedGates)")
  }

  /// Returns whether the occurrence is sent at an instant if the given gates do not apply to it.
  private static func isSent(
    _ occurrence: OccurrenceInGroup, without gates: [Gate], at instant: Instant, _ player: Player
  ) -> Bool {
    var copy = player.recipient
    copy.progress.makeDue(occurrence, at: instant)
    return copy.simulate(
      from: player.now, through: instant, planner: player.planner, verdictsMax: .max,
      exempting: GateRemoval(occurrence, gates)
    ).contains { OccurrenceInGroup($0) == occurrence && $0.isSent && $0.at == instant }
  }

  private static func gate(_ fact: GateFact) -> Gate {
    switch fact {
    case .expiry: .expiry
    case .master: .master
    case .category: .category
    case .address, .unseen: .address
    case .vacation: .vacation
    case .calendar: .calendar
    case .quietHours: .quietHours
    case .policyHours: .policyHours
    case .minimumInterval: .minimumInterval
    case .dailyCap: .dailyCap
    case .policyCap: .policyCap
    case .email: .emailFrequency
    case .gate(let gate): gate
    }
  }

  // MARK: - A single occurrence

  /// If no other occurrence is pending, an exemption of the occurrence from a gate has the same
  /// effect as a change of the gate's setting.
  @Test(arguments: Seeds.all)
  func `V8: a stated counterfactual comes true when its settings change`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var count = 0
    for _ in 0..<60 {
      var player = try Self.randomPlayer(&random, isAlone: true)
      player.advance(to: player.now + .days(5))
      guard player.recipient.pending(now: player.now, planner: player.planner).isEmpty
      else { continue }
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        try Self.request(at: player.now, &player, &random)
        player.advance(to: player.now + .minutes(Int.random(in: 1...90, using: &random)))
      }
      guard player.recipient.pending(now: player.now, planner: player.planner).isEmpty
      else { continue }
      try Self.request(at: player.now + Self.span(within: 20, &random), &player, &random)
      for explanation in try player.recipient.explain(
        .pending(reminder: "notification.requested"), now: player.now, planner: player.planner)
      {
        guard let stated = explanation.counterfactual else { continue }
        guard let changed = try Self.openingGates(stated.objections, of: player) else { continue }
        // A setting opens its gate for both channel groups, but the counterfactual keeps the gates
        // of the other group closed. If the change lets the other group be sent by this instant,
        // that group uses the interval or the cap first. The test above covers this case.
        guard !Self.isOvertaken(explanation, by: stated.at, in: player, changed) else { continue }
        count += 1
        let entry = changed.recipient.pending(now: player.now, planner: player.planner).first {
          $0.planned == explanation.planned && !$0.channels.isDisjoint(with: explanation.mask)
        }
        #expect(entry?.decision.outcome != .dropped, "seed \(seed): \(explanation)")
        #expect(entry?.decision.at == stated.at, "seed \(seed): \(explanation)")
      }
    }
    #expect(count > 0)
  }

  /// Returns whether another channel group of the same occurrence is sent by an instant because of
  /// a change of settings, but not without the change.
  private static func isOvertaken(
    _ explanation: Explanation, by instant: Instant, in player: Player, _ changed: Player
  ) -> Bool {
    func others(_ player: Player) -> Set<OccurrenceInGroup> {
      let pending = player.recipient.pending(now: player.now, planner: player.planner)
      return Set(
        pending.filter {
          $0.planned == explanation.planned && $0.channelGroup.isInterrupting
            && $0.channels.isDisjoint(with: explanation.mask)
            && $0.decision.outcome != .dropped && $0.decision.at <= instant
        }.map { OccurrenceInGroup($0) })
    }
    return !others(changed).isSubset(of: others(player))
  }

  /// Returns the recipient with settings that open the gates of the given facts; nil if one of
  /// these gates has no such setting.
  private static func openingGates(_ facts: [GateFact], of player: Player) throws -> Player? {
    var player = player
    for fact in facts {
      switch fact {
      case .quietHours:
        try player.take("preferences.updated", ["quietHours": ["enabled": false]])
      case .minimumInterval: try player.take("preferences.updated", ["caps": ["minInterval": nil]])
      case .dailyCap: try player.take("preferences.updated", ["caps": ["perDay": nil]])
      case .calendar:
        try player.take("preferences.updated", ["calendar": ["skipWeekends": false]])
      case .email: try player.take("preferences.updated", ["email": ["frequency": "immediate"]])
      case .vacation:
        try player.take("vacation.ended")
        let facts = player.recipient.facts
        for vacation in facts.openVacations(in: player.planner.zone(of: facts)) {
          try player.take("vacation.ended", ["from": .string("\(vacation.from)")])
        }
      default: return nil
      }
    }
    return player
  }
}

extension Explanation {
  fileprivate var mask: ChannelSet { channels.reduce(into: []) { $0.insert(ChannelSet($1)) } }
}
