import CivilTime
import JSON
import Reminders

/// The rules about series that end, and about switches.
extension Judge {
  // MARK: - Series

  /// The longest time for which an endless series may be sent after the event that begins it.
  private static let seriesMax = TimeSpan.days(60)

  /// Returns a finding for each endless series that is still sent after `seriesMax`.
  mutating func endlessSeries(in world: World) throws -> [Finding] {
    var findings: [Finding] = []
    for declared in declarations.reminders where declared.isEndless {
      let withoutPreferences = world.withoutPreferences
      guard
        let begin = withoutPreferences.acts.first(where: { declared.beginnings.contains($0.type) })
      else {
        continue
      }
      var longer = withoutPreferences
      longer.until = begin.time + Self.seriesMax + .days(10)
      let lines = try stage.play(longer).delivered.filter {
        $0.message.reminder == declared.name && $0.at > begin.time + Self.seriesMax
      }
      guard !lines.isEmpty else { continue }
      findings.append(
        Finding(
          rule: .seriesEnd, reminder: declared.name,
          fault: "\(begin.type) begins \"\(declared.name)\", which is still sent 60 days later; no "
            + "event in until, cancel or upcoming ends it",
          world: longer, lines: lines))
    }
    return findings
  }

  // MARK: - Switches

  /// Plays a world with its probed settings group switched on and off. Returns a finding if the
  /// switch changes reminders of other groups, or if the group's own are still sent.
  mutating func inexactSwitch(in world: World) throws -> [Finding] {
    guard let index = world.probe, let start = world.acts.first?.time else { return [] }
    let definition = declarations.catalog.settings.definitions[index]
    let withoutPreferences = world.withoutPreferences
    var off = withoutPreferences
    var data = PreferenceData()
    data.set(definition, to: 0)
    let number = (withoutPreferences.acts.map(\.number).max() ?? 0) + 1
    off.add(
      Act(
        number: number, time: start, recipient: WorldWriter.person, type: "preferences.updated",
        data: data.document, role: .setup))
    let (before, after) = (try stage.play(withoutPreferences), try stage.play(off))
    let lost = changed(before, after, by: index)
    let gained =
      changed(after, before, by: index)
      + after.delivered.filter {
        $0.recipient == WorldWriter.person
          && declarations[$0.message.reminder]?.reminder.groupSwitch == index
      }
    guard let first = lost.first ?? gained.first else { return [] }
    let verb = lost.isEmpty ? "sends" : "silences"
    return [
      Finding(
        rule: .switchesAreExact, reminder: first.message.reminder,
        fault: "switching \(definition.path) off \(verb) \"\(first.message.reminder)\"",
        world: off, lines: lost.isEmpty ? gained : [], missing: lost)
    ]
  }

  /// Returns the person's lines that `play` has and `other` lacks, except those of reminders that
  /// the switch concerns.
  ///
  /// - Parameter index: the index of the switch in the catalog's settings.
  private func changed(_ play: Play, _ other: Play, by index: Int) -> [TimelineEntry] {
    let known = other.deliveries
    return play.delivered.filter { entry in
      guard entry.recipient == WorldWriter.person,
        let declared = declarations[entry.message.reminder], !declared.uses(index)
      else { return false }
      return !known.contains(LineKey(entry))
    }
  }
}

extension DeclaredReminder {
  /// The types of the events that begin the reminder's series.
  var beginnings: [String] { causes + (begin.map { [$0] } ?? []) }

  /// Whether an event begins a series that no event and no date ends.
  var isEndless: Bool {
    guard reminder.terms?.upcoming == nil, reminder.terms?.having == nil else { return false }
    switch reminder.trigger {
    case .calendar(let trigger):
      return trigger.until == nil && trigger.series?.cancelledBy.isEmpty != false
        && !beginnings.isEmpty
    case .plan(let trigger): return trigger.until == nil && trigger.cancelledBy.isEmpty
    case .after, .milestone, .items, .idle, .request: return false
    }
  }

  /// Returns whether the setting with this index switches the reminder, or is in its conditions.
  func uses(_ index: Int) -> Bool {
    reminder.groupSwitch == index || reminder.conditions.contains { $0.setting == index }
  }
}
