import Reminders
import Store

extension StoreWriter {
  /// Records outcomes of notifications, in order (rule M6).
  func append(_ outcomes: [NotificationOutcome]) throws {
    for outcome in outcomes { try append([outcome.event], of: outcome.row) }
  }
}
