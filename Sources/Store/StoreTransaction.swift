import Reminders

/// What may be asked of the store within one transaction, in the domain's words.
package struct StoreTransaction {
  let statements: Statements

  init(_ statements: Statements) {
    self.statements = statements
  }
}

extension StoreTransaction {
  /// What a notification of this store is called outside.
  func identifier(of notification: Int64) -> String {
    NotificationID(statements.instance, notification).description
  }

  /// A word that the service keeps for itself, such as what its schedules were planned with.
  package func note(_ key: String) throws -> String? {
    try Notes.text(key, statements.meta)
  }

  package func saveNote(_ key: String, _ value: String) throws {
    try Notes.write(key, value, statements.upsertMeta)
  }
}
