import CivilTime
import JSON
import Reminders

/// The rules about things, such as bookings.
extension Judge {
  // MARK: - One thing and the others

  /// Returns a finding if an event about one thing silences reminders about others.
  mutating func connectedThings(in world: World) throws -> [Finding] {
    let withoutPreferences = world.withoutPreferences
    guard withoutPreferences.things.count > 1 else { return [] }
    let endings = Set(declarations.reminders.filter(\.isAboutThings).flatMap(\.endings).map(\.type))
    for act in withoutPreferences.acts where act.role == .fact && endings.contains(act.type) {
      let lost = try lines(lostBy: act, in: withoutPreferences)
      let others = lost.filter { $0.thing != act.thing }
      // An event that names no thing may end one thing, but not several at once.
      let isShared = act.thing != nil ? !others.isEmpty : Set(others.map(\.thing)).count > 1
      guard isShared, let first = others.first else { continue }
      let about = act.thing.map { "about \"\($0)\"" } ?? "that names no thing"
      return [
        Finding(
          rule: .independentThings, reminder: first.entry.message.reminder,
          fault:
            "the event \(act.type) \(about) silences \"\(first.entry.message.reminder)\" about "
            + "\"\(first.thing)\"",
          world: withoutPreferences, missing: others.map(\.entry))
      ]
    }
    return []
  }

  /// A line (an entry of a world's simulated timeline) that is no longer sent once an event is
  /// added to the world.
  private struct LostLine {
    /// The identifier of the thing that the line is about.
    let thing: String
    let entry: TimelineEntry
  }

  /// Returns the lines about other things that an event silences. Each of these lines is sent
  /// without the event, both in the whole world and in a world with only the line's thing.
  private mutating func lines(lostBy act: Act, in world: World) throws -> [LostLine] {
    let present = try stage.play(world).deliveries
    let without = try stage.play(world.keeping { $0 != act }).deliveries
    guard !without.isSubset(of: present) else { return [] }
    var lost: [LostLine] = []
    for thing in world.things where thing != act.thing {
      let alone = try stage.play(world.only(thing).keeping { $0 != act })
      for entry in alone.delivered {
        let key = LineKey(entry)
        guard declarations[key.reminder]?.isAboutThings == true, without.contains(key),
          !present.contains(key)
        else { continue }
        lost.append(LostLine(thing: thing, entry: entry))
      }
    }
    return lost
  }

  // MARK: - Announcements

  /// Returns a finding for each booking that is reported early enough and that no line announces.
  mutating func unannouncedThings(in world: World) throws -> [Finding] {
    var findings: [Finding] = []
    for thing in world.things.map(Optional.some) + [nil] {
      guard let act = world.acts.first(where: { $0.thing == thing && isBooking($0) }),
        let lead = declarations.reminders.first(where: {
          isOpenLead($0, of: act.type) && isSwitchedOn($0, in: world)
        }),
        let instant = instant(of: lead, in: act), instant - act.time >= rules[.announced].notice
      else { continue }
      var alone = world.keeping { $0.role == .profile || $0.role == .setup || $0 == act }
      alone.until = max(alone.until, instant + .days(1))
      let lines = try stage.play(alone).entries.filter {
        declarations[$0.message.reminder].map { $0.announces(act.type) } ?? false
      }
      let isAnnounced = lines.contains { $0.outcome == .delivered && $0.at < instant }
      guard !isAnnounced else { continue }
      findings.append(
        Finding(
          rule: .announced, reminder: lead.name,
          fault:
            "\"\(thing ?? act.type)\" is reported at \(act.time) for \(instant), and no reminder "
            + "announces it before that instant",
          world: alone, lines: lines))
    }
    return findings
  }

  /// Returns whether a reminder without conditions announces an instant of the event.
  private func isBooking(_ act: Act) -> Bool {
    declarations.reminders.contains { isOpenLead($0, of: act.type) }
  }

  /// Returns whether a reminder announces every thing of a type, without conditions.
  private func isOpenLead(_ declared: DeclaredReminder, of type: String) -> Bool {
    declared.isLead && !declared.isForOthers && declared.bound?.type == type
      && declared.reminder.data.isEmpty
      && declared.reminder.terms == nil
  }

  /// Returns whether the setup of a world leaves the reminder and one of its channels switched on.
  private func isSwitchedOn(_ declared: DeclaredReminder, in world: World) -> Bool {
    let catalog = declarations.catalog
    var settings = Settings(schema: catalog.settings, registers: [])
    for act in world.acts where act.role == .setup && act.recipient == WorldWriter.person {
      for (index, definition) in catalog.settings.definitions.enumerated() {
        let path = definition.path.split(separator: ".").map(String.init)
        let value = path.reduce(JSONValue.object(act.data)) { $0[$1] ?? .null }
        if value == .null { continue }
        settings[index] = (try? definition.kind.number(from: value)) ?? settings[index]
      }
    }
    return settings.isOn(declared.reminder.groupSwitch)
      && declared.reminder.conditions.allSatisfy { $0.holds(settings) }
      && declared.category.channels.contains { channel in
        settings.isOn(channel.setting)
          && declared.reminder.channels.contains(ChannelSet(channel.channel))
      }
  }

  /// Returns the instant that a reminder announces, from the event that reports the instant.
  /// Returns nil if the event has another type or no such instant.
  func instant(of declared: DeclaredReminder, in act: Act) -> Instant? {
    guard let bound = declared.bound, bound.type == act.type else { return nil }
    return act.data[bound.field]?.stringValue.flatMap { Instant($0) }
  }

  // MARK: - The end

  /// Returns the findings of lines about a thing that the person has finished.
  mutating func linesAfterTheEnd(in world: World) throws -> [Finding] {
    try repetitionsAfterTheAct(in: world) + leftovers(in: world)
  }

  /// Returns findings of reminders that are still sent about a thing after all events that end
  /// reminders about it.
  private mutating func leftovers(in world: World) throws -> [Finding] {
    var findings: [Finding] = []
    for thing in world.things {
      guard let cause = world.acts.first(where: { $0.thing == thing && isCause($0.type) }) else {
        continue
      }
      let followers = declarations.reminders(causedBy: cause.type).filter(\.isAboutThings)
      let endings = Set(
        followers.flatMap(\.endings).filter { $0.isPerThing && !$0.isForDate }.map(\.type))
      guard !endings.isEmpty, endings.allSatisfy(declarations.namesThing) else { continue }
      let ended = finished(world, cause, endings)
      let names = Set(followers.map(\.name))
      let late = try stage.play(ended.world).delivered.filter {
        $0.at > ended.at && names.contains($0.message.reminder)
      }
      guard let first = late.first else { continue }
      findings.append(
        Finding(
          rule: .doneIsQuiet, reminder: first.message.reminder,
          fault:
            "\"\(first.message.reminder)\" is sent at \(first.at) about \"\(thing)\", although "
            + "everything that ends it was reported at \(ended.at): "
            + endings.sorted().joined(separator: ", "),
          world: ended.world, lines: late))
    }
    return findings
  }

  /// Returns whether events of the type plan a reminder about things.
  private func isCause(_ type: String) -> Bool {
    declarations.reminders.contains { $0.isAboutThings && $0.causes.contains(type) }
  }

  /// Returns a world in which one thing is begun, and a minute later, at `at`, everything that ends
  /// it is reported.
  private func finished(
    _ world: World, _ cause: Act, _ endings: Set<String>
  ) -> (world: World, at: Instant) {
    var world = world.keeping { $0.role == .profile || $0.role == .setup || $0 == cause }
    let time = cause.time + .minutes(1)
    var number = world.acts.map(\.number).max() ?? 0
    for type in endings.sorted() {
      guard let schema = declarations.schema(type) else { continue }
      number += 1
      let settings = Settings(schema: declarations.catalog.settings, registers: [])
      var data = FactData(schema: schema, settings: settings, time: time)
      (data.thing, data.other) = (cause.thing ?? "", WorldWriter.other)
      var plain: SeededChoices?
      world.add(
        Act(
          number: number, time: time, recipient: cause.recipient, type: type,
          data: data.object(&plain), role: .fact, thing: cause.thing))
    }
    return (world, time)
  }

  /// Returns findings of repetitions that are sent although an event has silenced their reminder.
  private mutating func repetitionsAfterTheAct(in world: World) throws -> [Finding] {
    let withoutPreferences = world.withoutPreferences
    var worlds = withoutPreferences.things.map { withoutPreferences.only($0) }
    if worlds.isEmpty { worlds = [withoutPreferences] }
    var findings: [Finding] = []
    for world in worlds {
      let lines = try stage.play(world).delivered
      for entry in lines {
        guard let repetition = declarations[entry.message.reminder],
          repetition.reminder.repeated != nil,
          let act = act(silencing: declarations.first(of: repetition), entry, lines, world)
        else { continue }
        findings.append(
          Finding(
            rule: .doneIsQuiet, reminder: repetition.name,
            fault:
              "\"\(repetition.name)\" is sent at \(entry.at), although \(act.type) was reported "
              + "at \(act.time), after the reminder that it repeats",
            world: world, lines: [entry]))
      }
    }
    return findings
  }

  /// Returns an event that silences or ends a reminder between the reminder's line and the planned
  /// instant of its repetition. Returns nil if there is none, or if the two are on different dates.
  ///
  /// - Parameter entry: the line of the repetition.
  private func act(
    silencing first: DeclaredReminder, _ entry: TimelineEntry, _ lines: [TimelineEntry],
    _ world: World
  ) -> Act? {
    let repeated = lines.last {
      $0.message.reminder == first.name && $0.recipient == entry.recipient && $0.at < entry.at
    }
    guard let repeated, entry.zone.date(at: repeated.at) == entry.zone.date(at: entry.at) else {
      return nil
    }
    return world.acts.first { act in
      act.role == .fact && act.recipient == entry.recipient && act.time >= repeated.at
        && act.time < entry.planned && first.endings.contains { $0.type == act.type }
    }
  }
}
