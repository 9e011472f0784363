import CivilTime
import Reminders

/// The rules that a catalog is checked against. Without a file all rules are on.
package struct RuleSet: Hashable, Sendable {
  /// A rule's state for one reminder or category.
  enum Exception: Hashable, Sendable {
    case off
    case on
    case limit(Int)
  }

  /// The parameters of one rule.
  struct Entry: Hashable, Sendable {
    /// Whether the rule applies to reminders without an exception.
    var isOn = true
    /// The largest number a day on each channel without a number of its own; nil to derive it.
    var limit: Int?
    /// The largest number a day on the channels that have their own.
    var limits: [Channel: Int] = [:]
    /// The shortest time from a booking to its instant in which it has to be announced.
    var notice = TimeSpan.days(1)
    /// Exceptions by the name of a reminder or a category. A reminder's own takes precedence.
    var exceptions: [String: Exception] = [:]
  }

  /// The rules that a file mentions. Others have the parameters of a new entry.
  var entries: [ProofRule: Entry] = [:]

  /// The shipped rules: all of them, with derived limits.
  package init() {}

  subscript(rule: ProofRule) -> Entry { entries[rule] ?? Entry() }

  /// Returns whether a rule applies to a reminder of a category. An exception may switch the rule
  /// on for a reminder or category although it is off for all others.
  func applies(_ rule: ProofRule, to reminder: String, of category: String) -> Bool {
    let entry = self[rule]
    switch entry.exceptions[reminder] ?? entry.exceptions[category] {
    case .off: return false
    case .on, .limit: return true
    case nil: return entry.isOn
    }
  }

  /// Whether the rule applies to anything.
  func isUsed(_ rule: ProofRule) -> Bool {
    self[rule].isOn || self[rule].exceptions.values.contains { $0 != .off }
  }
}
