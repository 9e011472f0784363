import CivilTime
import Postgres
import Reminders
import Store

extension PostgresWork {
  var lastNotification: Int64 { numbers.notification.last }

  func notificationCount(after notification: Int64) throws -> Int {
    try rows(
      "SELECT count(*) FROM notification n \(ownNotification) WHERE n.id > $1",
      [.integer(notification)]
    ) { Int($0.integer(0)) }.first ?? 0
  }

  func record(
    _ notifications: [NotificationRecord], of recipients: inout [StoredRecipient]
  ) throws -> [Int64?] {
    guard let first = notifications.first else { return [] }
    if node.isFleet { try renewNumberBlock(at: first.at) }
    try reserve(notifications.count, of: \.notification)
    let shards = recipients.map { ($0.row, node.hash.shard(of: $0.recipient.name)) }
    let lookedUp = notifications.filter { looksForOutcomes || $0.mayContinueEarlier }
    let existing = try rows(
      of: Set(lookedUp.flatMap(\.occurrences)), in: Dictionary(shards) { first, _ in first })
    let recording = Recording(
      notifications, of: recipients, from: numbers.notification.next, existing: existing)
    try removeReplaced(recording.replaced, of: &recipients)
    let messages = try messages(of: notifications, recording.numbers)
    try write(recording, messages, recipients)
    try addToCountersAndInboxes(recording, messages, &recipients)
    if let last = recording.numbers.last(where: { $0 != nil }) ?? nil {
      numbers.notification.takeAll(through: last)
      lastRecorded = last
    }
    return recording.numbers
  }

  /// How long a node of a fleet assigns numbers from one block.
  private static let blockAgeMax = TimeSpan.minutes(1)

  /// Begins a new block of numbers if the current one is old. So the numbers of all nodes follow
  /// the time, except within a minute. The service-wide feed shows the highest numbers first.
  private func renewNumberBlock(at now: Instant) throws {
    if let since = numbers.lastRenewal, since <= now, now - since < Self.blockAgeMax { return }
    try begin(\.notification)
    numbers.lastRenewal = now
  }

  /// Returns the recorded outcomes of occurrences, in all their rounds.
  ///
  /// - Parameter shards: the shards of the recipients, by row. If empty, all partitions are
  ///   searched.
  func rows(
    of occurrences: some Collection<Occurrence>, in shards: [UInt32: Int64] = [:]
  ) throws -> [NotificationRow] {
    guard !occurrences.isEmpty else { return [] }
    var wanted = PostgresRows(.int2, .int8, .int8, .int8)
    let withoutRounds = Set(
      occurrences.map { Occurrence(reminder: $0.reminder, key: $0.key, row: $0.row) })
    for occurrence in withoutRounds {
      wanted.add(shards[occurrence.row])
      wanted.add(occurrence.reminder.code)
      wanted.add(occurrence.key)
      wanted.add(occurrence.row)
    }
    return try rows(
      """
      SELECT \(NotificationRow.columns)
      FROM \(wanted.unnested) AS u(shard, reminder, occurrence, recipient)
      JOIN notification n ON n.reminder = u.reminder AND n.occurrence = u.occurrence
        AND n.recipient = u.recipient \(shards.isEmpty ? "" : "AND n.shard = u.shard")
      """, wanted.arrays, NotificationRow.init)
  }

  private func write(
    _ recording: Recording, _ messages: [Int64], _ recipients: [StoredRecipient]
  ) throws {
    var rows = PostgresTable.notification.rows
    var (recipientIndex, shard) = (-1, Int64(0))
    for (index, number) in recording.numbers.enumerated() {
      guard let number else { continue }
      if recording.recipientIndices[index] != recipientIndex {
        recipientIndex = recording.recipientIndices[index]
        shard = try owned(recipients[recipientIndex].recipient.name)
      }
      rows.add(shard)
      NotificationRow(
        recording.notifications[index], number: number, message: messages[index],
        recording.links[index]
      ).put(to: &rows)
    }
    try insert(rows, into: .notification)
  }

  // MARK: - Replacing outcomes

  /// Removes replaced notifications from their recipients' chains and from the store.
  private func removeReplaced(
    _ gone: [NotificationRow], of recipients: inout [StoredRecipient]
  ) throws {
    guard !gone.isEmpty else { return }
    for index in recipients.indices {
      let goneOfRecipient = gone.filter { $0.recipient == recipients[index].row }
      guard !goneOfRecipient.isEmpty else { continue }
      try unchain(goneOfRecipient, of: &recipients[index])
    }
    try remove(gone)
  }

  /// Removes notifications from a recipient's chain.
  func unchain(_ gone: [NotificationRow], of stored: inout StoredRecipient) throws {
    stored.unchain(gone)
    guard gone.contains(where: { $0.number < stored.counts.head }) else { return }
    let chain = try links(of: stored.row, from: stored.counts.head, downTo: 0, limit: .max)
    try relink(chain, without: Set(gone.map(\.number)))
  }

  /// Links each remaining notification to the previous remaining one.
  ///
  /// - Parameter chain: the links, the latest first.
  private func relink(_ chain: [ChainLink], without gone: Set<Int64>) throws {
    let previous = Dictionary(chain.map { ($0.number, $0.previous) }) { first, _ in first }
    var changes = PostgresRows(.int8, .int8)
    for link in chain where !gone.contains(link.number) && gone.contains(link.previous) {
      var remaining = link.previous
      while gone.contains(remaining), let earlier = previous[remaining] { remaining = earlier }
      changes.add(link.number)
      changes.add(remaining)
    }
    try relink(changes)
  }

  /// Replaces the links to previous notifications.
  ///
  /// - Parameter changes: the numbers of notifications, each with its new previous notification.
  func relink(_ changes: PostgresRows) throws {
    try write(
      changes, "id, previous", "UPDATE notification n SET previous = u.previous FROM",
      "WHERE n.id = u.id")
  }

  /// Removes notifications. A private message is removed too, unless another notification of the
  /// same occurrence uses it.
  func remove(_ gone: [NotificationRow]) throws {
    try delete(notifications: gone.map(\.number))
    var candidates = PostgresRows(.int8, .int8, .int8, .int8)
    for row in gone {
      candidates.add(row.message)
      candidates.add(row.reminder.code)
      candidates.add(row.key)
      candidates.add(row.recipient)
    }
    try write(
      candidates, "message, reminder, occurrence, recipient", "DELETE FROM message m USING",
      """
      WHERE m.id = u.message AND m.hash IS NULL AND NOT EXISTS (
        SELECT 1 FROM notification n WHERE n.reminder = u.reminder
          AND n.occurrence = u.occurrence AND n.recipient = u.recipient AND n.message = u.message)
      """)
  }
}
