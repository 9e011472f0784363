import Yams

/// How much one catalog file may declare: what people's days are planned from stays small enough
/// to be planned at once (rule H6).
package enum CatalogBounds {
  package static let events = 1_000
  /// The fields of one event.
  package static let fields = 100
  /// The reminders, with their repetitions and milestones.
  package static let reminders = 1_000
  /// The titles and bodies of messages, in all languages.
  package static let texts = 10_000
}

extension CatalogReader {
  /// Returns whether a part of the file has few enough entries. If it has more, that is reported.
  mutating func isBounded(_ node: Node?, _ what: String, _ most: Int) -> Bool {
    guard let node, let count = node.mapping?.count, count > most else { return true }
    report(
      node, "\(what) has \(count) entries; at most \(most) are allowed; divide it into catalogs")
    return false
  }

  /// Returns whether one more reminder may be added. The first that exceeds the bound is reported.
  mutating func mayAddReminder(at node: Node) -> Bool {
    reminderCount += 1
    if reminderCount == CatalogBounds.reminders + 1 {
      report(
        node,
        "with repetitions and milestones the catalog has more than \(CatalogBounds.reminders) "
          + "reminders; divide it into catalogs")
    }
    return reminderCount <= CatalogBounds.reminders
  }

  /// Returns whether one more text may be read. The first that exceeds the bound is reported.
  mutating func mayReadText(at node: Node) -> Bool {
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
