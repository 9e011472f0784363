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
    /// The largest number of notifications a day on each channel without a number of its own; nil
    /// to derive the number.
    var limit: Int?
    /// The largest number of notifications a day on each channel with a number of its own.
    var limits: [Channel: Int] = [:]
    /// The shortest time from the report of a booking to its instant for which an announcement is
    /// required.
    var notice = TimeSpan.days(1)
    /// Exceptions by the name of a reminder or a category. A reminder's exception takes precedence
    /// over that of its category.
    var exceptions: [String: Exception] = [:]
  }

  /// The rules that a file mentions. Others have the parameters of a new entry.
  var entries: [ProofRule: Entry] = [:]

  /// Creates the rules that apply without a file: all are on, with derived limits.
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
