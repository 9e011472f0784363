import Access
import CivilTime
import Postgres
import Reminders
import Store

/// Notes: texts that the service stores for itself, each under a key.
extension PostgresWork {
  func note(_ key: String) throws -> String? {
    try rows("SELECT value FROM meta WHERE key = $1", [.text(rowKey(of: key))]) { $0.text(0) }.first
  }

  /// Saves notes in the same order on all nodes, to avoid deadlocks.
  func save(notes: [String: String]) throws {
    let notes = notes.sorted { $0.key < $1.key }
    try write(
      """
      INSERT INTO meta SELECT * FROM unnest($1::text[], $2::text[])
      ON CONFLICT (key) DO UPDATE SET value = excluded.value
      """, [.texts(notes.map { rowKey(of: $0.key) }), .texts(notes.map(\.value))])
  }

  /// Locks the note's row and reads it. If there is no row, an empty one is added, which can be
  /// locked.
  func noteToChange(_ key: String) throws -> String? {
    try write(
      "INSERT INTO meta VALUES ($1, '') ON CONFLICT (key) DO UPDATE SET value = meta.value",
      [.text(rowKey(of: key))])
    return try note(key)
  }

  /// Adds a word to a note in one statement, because another node may add a word at the same time.
  func add(_ word: String, toNote key: String) throws {
    try write(
      """
      INSERT INTO meta VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = (
        SELECT string_agg(word, ' ' ORDER BY word COLLATE "C") FROM (
          SELECT unnest(string_to_array(meta.value, ' ')) AS word UNION SELECT excluded.value
        ) AS words)
      """, [.text(rowKey(of: key)), .text(word)])
  }

  /// Returns the key of a note's row. In a fleet, the keys of notes about a clock contain the
  /// node's name, because such a note is about one machine.
  private func rowKey(of key: String) -> String {
    node.isFleet && key.hasPrefix("clock ") ? "\(key) of \(node.name)" : key
  }

  /// The key of the note about a clock that was set back. The note has the time at which the clock
  /// was trusted again, and the last event and notification before that time.
  private static let trustNote = "clock trusted"

  /// Returns the time of the newest record; nil in a fleet, whose records come from several clocks.
  /// There each node's clock is compared with the server's instead.
  func newestRecord() throws -> Instant? {
    guard !node.isFleet else { return nil }
    try writeArrivals()
    let note = try note(Self.trustNote)?.split(separator: " ").compactMap { Int64($0) } ?? []
    let trusted = note.count == 3 ? note : [0, 0, 0]
    let newest = try rows(
      """
      SELECT greatest(
        (SELECT received FROM event WHERE id > $1 ORDER BY id DESC LIMIT 1),
        (SELECT at FROM notification WHERE id > $2 ORDER BY id DESC LIMIT 1), 0)
      """, [.integer(trusted[1]), .integer(trusted[2])]
    ) { $0.integer(0) }
    let latest = max(newest.first ?? 0, trusted[0])
    return latest > 0 ? Instant(milliseconds: latest) : nil
  }

  func trustClock(at now: Instant) throws {
    let values = [now.milliseconds, numbers.event.last, numbers.notification.last]
    try saveNote(Self.trustNote, values.map(String.init).joined(separator: " "))
  }
}

extension PostgresWork {
  /// Returns the size of the whole database in bytes.
  func databaseSize() throws -> Int64? {
    try rows("SELECT pg_database_size(current_database())") { $0.integer(0) }.first
  }
}

extension PostgresWork {
  func tokens() throws -> [TokenRecord] {
    try rows(
      """
      SELECT \(PostgresTable.token.columnList) FROM token ORDER BY created, id COLLATE "C"
      """
    ) {
      try $0.token()
    }
  }

  func token(_ identifier: String) throws -> TokenRecord? {
    try rows(
      "SELECT \(PostgresTable.token.columnList) FROM token WHERE id = $1", [.text(identifier)]
    ) {
      try $0.token()
    }.first
  }

  func save(tokens: [TokenRecord]) throws {
    var rows = PostgresTable.token.rows
    for token in tokens { TokenRow.put(token, to: &rows) }
    try write(
      rows, PostgresTable.token.columnList, "INSERT INTO token SELECT * FROM",
      "ON CONFLICT (id) DO UPDATE SET \(PostgresTable.token.replacement)")
  }
}

extension PostgresRow {
  fileprivate func token() throws -> TokenRecord {
    var reader = ColumnReader(self)
    guard let token = TokenRow.token(from: &reader) else {
      throw UnreadableRow("token", "id", text(0))
    }
    return token
  }

  /// Returns the time in a column; nil for NULL.
  func instant(_ column: Int32) -> Instant? {
    optionalInteger(column).map { Instant(milliseconds: $0) }
  }
}

extension PostgresRows {
  mutating func add(_ time: Instant?) { add(time?.milliseconds) }
}
