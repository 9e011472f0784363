import Yams

/// The limits of one catalog file (rule H16). They bound the time for planning a recipient.
package enum CatalogBounds {
  /// The maximum number of declared events.
  package static let events = 1_000
  /// The maximum number of fields of one event.
  package static let fields = 100
  /// The maximum number of reminders, including repetitions and milestones.
  package static let reminders = 1_000
  /// The maximum number of texts in all languages: of messages, discreet texts, digests and the
  /// titles of actions.
  package static let texts = 10_000
}

extension CatalogReader {
  /// Returns whether a mapping has at most `countMax` entries. Reports a mapping with more.
  ///
  /// - Parameter what: the mapping's name in the report.
  mutating func checkCount(_ node: Node?, _ what: String, _ countMax: Int) -> Bool {
    guard let node, let count = node.mapping?.count, count > countMax else { return true }
    report(
      node,
      "\(what) has \(count) entries; at most \(countMax) are allowed; divide it into catalogs")
    return false
  }

  /// Counts one more reminder and returns whether it may be added. Reports the first reminder
  /// beyond the limit.
  mutating func countReminder(at node: Node) -> Bool {
    reminderCount += 1
    if reminderCount == CatalogBounds.reminders + 1 {
      report(
        node,
        "with repetitions and milestones the catalog has more than \(CatalogBounds.reminders) "
          + "reminders; divide it into catalogs")
    }
    return reminderCount <= CatalogBounds.reminders
  }

  /// Counts one more text and returns whether it may be read. Reports the first text beyond the
  /// limit.
  mutating func countText(at node: Node) -> Bool {
    textCount += 1
    if textCount == CatalogBounds.texts + 1 {
      report(
        node,
        "the catalog has more than \(CatalogBounds.texts) titles and bodies of messages; divide "
          + "it into catalogs")
    }
    return textCount <= CatalogBounds.texts
  }
}
