import CivilTime
import Reminders

/// The rules about the instants and texts of single lines. A line is an entry of a world's
/// simulated timeline.
extension Judge {
  /// A line that announces an instant, in a world with at most one thing.
  private struct BoundLine {
    let entry: TimelineEntry
    /// The reminder of the line.
    let declared: DeclaredReminder
    /// The instant that the line announces.
    let instant: Instant
    let world: World
  }

  /// Plays each thing of a world alone, and the events without a thing. Returns the delivered lines
  /// that announce an instant that was in the future when it was reported.
  private mutating func boundLines(in world: World) throws -> [BoundLine] {
    var lines: [BoundLine] = []
    for thing in world.things.map(Optional.some) + [nil] {
      let alone = world.keeping { $0.thing == nil || $0.thing == thing }
      for entry in try stage.play(alone).delivered {
        guard let declared = declarations[entry.message.reminder],
          let instant = announcedInstant(of: declared, entry, alone, thing)
        else { continue }
        lines.append(BoundLine(entry: entry, declared: declared, instant: instant, world: alone))
      }
    }
    return lines
  }

  /// Returns the instant that the latest report up to the line contains. Returns nil if that
  /// instant was past when it was reported, or if several reports may have caused the line.
  private func announcedInstant(
    of declared: DeclaredReminder, _ entry: TimelineEntry, _ world: World, _ thing: String?
  ) -> Instant? {
    guard let bound = declared.bound else { return nil }
    let reports = world.acts.filter { $0.thing == thing && $0.type == bound.type }
    // Without an identifier, a line may follow any of several reports.
    if thing == nil, reports.count != 1 { return nil }
    guard let report = reports.last(where: { $0.time <= entry.at }),
      !reports.contains(where: { $0.time == entry.at && $0 != report }),
      let instant = instant(of: declared, in: report), instant > report.time
    else { return nil }
    // A report that replaces another may release lines that waited because of the previous report.
    if report.time == entry.at, reports.count > 1 { return nil }
    return instant
  }

  /// Returns a finding for each line that is sent at or after the instant that it announces.
  mutating func lateLines(in world: World) throws -> [Finding] {
    // A reminder that is planned for the instant itself, such as one with a lead of zero, may be
    // sent at that instant.
    try boundLines(in: world).filter {
      $0.entry.at > $0.instant || $0.entry.at == $0.instant && $0.entry.planned != $0.instant
    }.map { line in
      Finding(
        rule: .notAfter, reminder: line.declared.name,
        fault: "\"\(line.declared.name)\" is sent at \(line.entry.at), at or after the instant "
          + "\(line.instant) that it announces",
        world: line.world, lines: [line.entry])
    }
  }

  // MARK: - Texts

  /// Returns the findings of incomplete texts, and of texts that are not true when they are sent.
  mutating func wrongTexts(in world: World) throws -> [Finding] {
    try incompleteTexts(in: world) + staleTexts(in: world)
  }

  private mutating func incompleteTexts(in world: World) throws -> [Finding] {
    try stage.play(world).delivered.compactMap { entry in
      let texts = [("title", entry.message.title), ("body", entry.message.body)]
      guard declarations[entry.message.reminder] != nil,
        let (part, _) = texts.first(where: { !$0.1.isCompleteText })
      else { return nil }
      return Finding(
        rule: .texts, reminder: entry.message.reminder,
        fault:
          "the \(part) of \"\(entry.message.reminder)\" is empty or has an unfilled placeholder",
        world: world, lines: [entry])
    }
  }

  /// Returns the findings of texts with a word, such as "tomorrow", that is wrong for the instant.
  private mutating func staleTexts(in world: World) throws -> [Finding] {
    try boundLines(in: world).compactMap { line in
      let zone = line.entry.zone
      let days = zone.date(at: line.instant) - zone.date(at: line.entry.at)
      guard let word = dateWords(of: line).first(where: { $0.days != days }) else { return nil }
      return Finding(
        rule: .texts, reminder: line.declared.name,
        fault:
          "the text of \"\(line.declared.name)\" says \"\(word.text)\" at \(line.entry.at), and "
          + "the instant that it announces is \(line.instant); write {{until}} instead",
        world: line.world, lines: [line.entry])
    }
  }

  /// Returns the words in the line's text that are true only on one date.
  private func dateWords(of line: BoundLine) -> [StaleWords.Word] {
    let locale = line.world.locale(of: line.entry.recipient, at: line.entry.at)
    let text = (line.entry.message.title + "\n" + line.entry.message.body).lowercased()
    return line.declared.reminder.messages.flatMap { words.words(in: $0.words(for: locale)) }
      .filter { text.contains($0.text.lowercased()) }
  }

  // MARK: - Doubles

  /// Returns a finding for each text that several reminders send at one instant on one channel.
  mutating func doubles(in world: World) throws -> [Finding] {
    struct Text: Hashable {
      let recipient, title, body: String
      let channel: Channel
      let at: Instant
    }
    // Lines that a vacation releases together would be one digest, but worlds switch digests off.
    let lines = try stage.play(world).delivered.filter { !$0.trace.hasHeld(.vacation) }
    let groups = Dictionary(grouping: lines) { entry in
      Text(
        recipient: entry.recipient, title: entry.message.title, body: entry.message.body,
        channel: entry.channel, at: entry.at)
    }
    return groups.values.compactMap { entries in
      let names = Set(entries.map(\.message.reminder)).filter { declarations[$0] != nil }.sorted()
      guard names.count > 1 else { return nil }
      let list = names.map { "\"\($0)\"" }.joined(separator: " and ")
      return Finding(
        rule: .noDoubles, reminder: names[0],
        fault: "\(list) say the same at \(entries[0].at)", world: world, lines: entries)
    }
    .sorted { $0.fault < $1.fault }
  }
}

extension String {
  /// Whether a text has words and no unfilled placeholder.
  var isCompleteText: Bool {
    contains { $0.isLetter || $0.isNumber } && !contains("{{") && !contains("}}")
  }
}
