import CivilTime
import Foundation
import Reminders
import Testing

@testable import Proving

/// Rules L4 and L5: replays of random lives with the shipped catalogs.
@Suite struct ReplayPropertyTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../config/catalogs").standardized
  /// The number of worlds for each catalog and seed.
  private static let worlds = 12

  private static let seeds: [UInt64] =
    ProcessInfo.processInfo.environment["CHIMED_SEED"].flatMap { UInt64($0) }.map { [$0] }
    ?? [1, 2, 3, .random(in: 4 ... .max)]

  private static func planner(_ name: String) throws -> Planner {
    let file = folder.appending(path: "\(name).yaml")
    let text = try String(contentsOf: file, encoding: .utf8)
    return try PlantedFault.planner([CatalogSource(file: "\(name).yaml", text: text)])
  }

  @Test(
    arguments: ["imanpath", "rooms", "trials", "urbannest", "wellness"], seeds)
  func `L5: a shipped catalog against itself changes nothing`(name: String, seed: UInt64) throws {
    let (planner, twin) = (try Self.planner(name), try Self.planner(name))
    let declarations = Declarations(planner.catalog)
    var writer = WorldWriter(
      declarations, zones: planner.zones, choices: SeededChoices(seed: seed))
    var decisionCount = 0
    for number in 0..<Self.worlds {
      let reminders = declarations.reminders
      let target = reminders.isEmpty ? nil : writer.choices.pick(reminders)
      let life = try Life(writer.world(about: target), planner)
      let comment: Comment = "\(name), seed \(seed), world \(number)"
      guard var replay = life.replay(by: planner) else { continue }
      var whole = replay
      whole.recordDecisions()
      whole.run(to: life.end)
      guard whole.isComplete else { continue }
      decisionCount += whole.decisions.count
      #expect(life.lines(of: whole) == life.simulatedLines, comment)
      replay.run(to: writer.time())
      replay.recordDecisions()
      var other = replay.continued(by: twin)
      replay.run(to: life.end)
      other.run(to: life.end)
      #expect(replay.isComplete && other.isComplete, comment)
      let comparison = ReplayComparison(of: replay, with: other, twin.catalog.renaming)
      #expect(comparison.changes.isEmpty, comment)
      #expect(comparison.sent.values.allSatisfy { $0.then == $0.now }, comment)
      #expect(comparison.highestDay.then == comparison.highestDay.now, comment)
    }
    #expect(decisionCount > 0, "\(name), seed \(seed)")
  }
}

/// The stored events of a person, each received at its time, and the person's simulated timeline.
private struct Life {
  /// The first instant after the life.
  let end: Instant
  let simulatedLines: [String]
  private let facts: FormerFacts

  init(_ world: World, _ planner: Planner) throws {
    end = world.until + .milliseconds(1)
    let reader = EventReader(planner: planner)
    let events = world.acts.filter { $0.recipient == WorldWriter.person }
      .compactMap { try? reader.event($0.document, now: nil) }
    var simulation = Simulation(planner: planner, events: events, until: world.until)
    var entries: [TimelineEntry] = []
    try simulation.run { entries += $0 }
    simulatedLines = entries.filter { $0.recipient == WorldWriter.person }.map {
      Self.line($0.outcome, $0.message, $0.channel, at: $0.at, $0.planned, $0.trace)
    }.sorted()
    let stored = events.enumerated().map { order, event in
      StoredEvent(
        order: Int64(order), received: event.time, source: event.source,
        identifier: event.identifier, type: event.type, time: event.time, isTimeGiven: true,
        data: event.data)
    }
    facts = FormerFacts(
      of: Recipient(name: WorldWriter.person, now: end), base: nil,
      events: stored.filter { $0.time <= world.until })
  }

  func replay(by planner: Planner) -> RecipientReplay? {
    RecipientReplay(of: facts, by: PlannerPeriods(first: planner))
  }

  /// Returns the decisions of a replay as the simulation prints them.
  func lines(of replay: RecipientReplay) -> [String] {
    replay.decisions.flatMap { decision -> [String] in
      let firing = decision.firing
      guard case .finished(let outcome) = firing.result, outcome != .bundled else { return [] }
      return firing.channels.channels.map {
        Self.line(
          outcome, decision.message, $0, at: firing.shownAt, firing.planned, firing.trace)
      }
    }.sorted()
  }

  private static func line(
    _ outcome: Outcome, _ message: Message, _ channel: Channel, at instant: Instant,
    _ planned: Instant, _ trace: GateTrace
  ) -> String {
    "\(instant) \(message.reminder) \(channel) \(outcome) of \(planned) \(trace.reasons) "
      + "\(message.title): \(message.body)"
  }
}
