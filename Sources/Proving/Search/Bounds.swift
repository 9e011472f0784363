import CivilTime
import Reminders

/// Decides rules from the declarations alone, without playing a world.
struct Bounds {
  let declarations: Declarations
  let rules: RuleSet

  /// Returns the reason why the rule always holds; nil if the declarations do not show it.
  func proof(of rule: ProofRule) -> String? {
    let applicable = declarations.reminders.filter {
      rules.applies(rule, to: $0.name, of: $0.category.name)
    }
    switch rule {
    case .dailyLimit: return dailyBound()
    case .quietHours: return quietProof()
    case .independentThings: return independence(applicable)
    case .notAfter: return boundProof(applicable)
    case .seriesEnd:
      return applicable.contains(where: \.isEndless)
        ? nil : "each repetition is counted, and an event or a date ends each series"
    case .switchesAreExact: return switchProof(applicable)
    case .announced:
      return applicable.contains(where: \.isLead) ? nil : "no reminder is before an instant"
    case .doneIsQuiet:
      return applicable.allSatisfy { $0.endings.isEmpty } ? "no event ends a reminder" : nil
    case .noDoubles:
      return applicable.count < 2 ? "the catalog has fewer than two reminders" : nil
    case .texts, .alive:
      return applicable.isEmpty ? "the catalog has no reminders" : nil
    }
  }

  /// Returns the proof that all reminders together stay within each channel's limit; nil if the
  /// declarations do not show it, for example because a reminder follows an event. Each reminder
  /// counts once more, because one of its occurrences may be held back from the previous day.
  private func dailyBound() -> String? {
    let entry = rules[.dailyLimit]
    if declarations.reminders.isEmpty { return "the catalog has no reminders" }
    let hasEvents = declarations.reminders.contains {
      if case .calendar = $0.reminder.trigger { !$0.causes.isEmpty } else { true }
    }
    guard !hasEvents, entry.isOn, entry.exceptions.isEmpty else { return nil }
    var most = 0
    for channel in Channel.allCases where channel != .inapp {
      let sum = declarations.reminders.filter { $0.channels.contains(channel) }
        .reduce(0) { $0 + $1.timesADay(declarations.catalog) + 1 }
      guard sum <= entry.limits[channel] ?? entry.limit ?? Judge.leastLimit else { return nil }
      most = max(most, sum)
    }
    return "without snoozes, the times of day of all reminders, and one of each that was held the "
      + "day before, are at most \(most) on a channel"
  }

  private func quietProof() -> String? {
    let categories = declarations.catalog.categories.filter { $0.urgency < .critical }
    let isSilent =
      categories.contains { $0.quietAction == .silent }
      || declarations.reminders.contains {
        $0.urgency < .critical && $0.category.quietAction == .silent
      }
    guard !isSilent else { return nil }
    return "all notifications below critical are held or dropped in quiet hours (rule V3), unless "
      + "the person is in the app"
  }

  /// Returns the proof that events about one thing change no other; nil if one may.
  private func independence(_ reminders: [DeclaredReminder]) -> String? {
    if !reminders.contains(where: \.isAboutThings) { return "no reminder is about things" }
    let isSeparate = reminders.filter(\.isAboutThings).allSatisfy { declared in
      if case .after = declared.reminder.trigger { return false }
      return declared.endings.allSatisfy { $0.isPerThing && declarations.namesThing($0.type) }
        && declared.reminder.replacedBy == nil && declared.reminder.batch == nil
    }
    return isSeparate
      ? "every event that ends a reminder about a thing counts for its own thing alone (rule G6)"
      : nil
  }

  /// Returns the proof that each announcement is planned before its instant; nil if one may not be.
  private func boundProof(_ reminders: [DeclaredReminder]) -> String? {
    let bound = reminders.filter { $0.bound != nil }
    if bound.isEmpty { return "no reminder announces an instant" }
    let isBefore = bound.allSatisfy { declared in
      guard case .items(let trigger) = declared.reminder.trigger, declared.isLead,
        declared.reminder.repeated == nil
      else { return false }
      switch trigger.timing {
      case .hoursBefore(_, .fixed(let hours)): return !hours.contains(0)
      case .spansBefore(_, let spans):
        return spans.allSatisfy { if case .fixed(let span) = $0 { span > .zero } else { false } }
      case .after, .hoursBefore, .datesBefore: return false
      }
    }
    return isBefore ? "every announcement is planned before its instant (rule V10)" : nil
  }

  private func switchProof(_ reminders: [DeclaredReminder]) -> String? {
    let isExact = reminders.allSatisfy { declared in
      let first = declarations.first(of: declared)
      return declared.reminder.replacedBy == nil && declared.uses(first.reminder.groupSwitch)
        && first.reminder.conditions.allSatisfy { declared.uses($0.setting) }
    }
    return isExact ? "every repetition has the groups of the reminder that it repeats" : nil
  }
}
