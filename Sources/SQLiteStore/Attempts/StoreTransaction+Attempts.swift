import CivilTime
import GRDB
import Reminders
import Store

extension StoreTransaction {
  /// Saves the results of first attempts, in ascending order of notifications.
  func insertFirstAttempts(_ attempts: [Attempt]) throws {
    guard !attempts.isEmpty else { return }
    _ = try statements.attempts.insertFirst.run(attempts.count) { insert, index in
      AttemptRow(attempts[index], number: 1).bind(to: insert)
    }
  }

  /// Saves reports (what a sink's service says later about a delivery), each in place of the
  /// delivery's previous report.
  func insertReports(_ reports: [Attempt]) throws {
    guard !reports.isEmpty else { return }
    _ = try statements.attempts.insertFirst.run(reports.count) { insert, index in
      AttemptRow(reports[index], number: AttemptRow.reportNumber).bind(to: insert)
    }
  }

  /// Saves the steps of withdrawals: the decisions to withdraw deliveries, and the results.
  func insertWithdrawals(_ steps: [Attempt]) throws {
    guard !steps.isEmpty else { return }
    _ = try statements.attempts.insertFirst.run(steps.count) { insert, index in
      let number = AttemptRow.number(ofWithdrawal: steps[index])
      AttemptRow(steps[index], number: number).bind(to: insert)
    }
  }

  /// Saves the results of later attempts.
  func insertLaterAttempts(_ attempts: [Attempt]) throws {
    for attempt in attempts { try insertNextAttempt(attempt) }
  }

  private func insertNextAttempt(_ attempt: Attempt) throws {
    let last = statements.attempts.lastNumber
    last.bind(1, attempt.notification)
    last.bind(2, Int64(attempt.channel.rawValue))
    let number = max(0, try last.first { $0.integer(0) } ?? 0) + 1
    AttemptRow(attempt, number: number).bind(to: statements.attempts.insertNext)
    try statements.attempts.insertNext.run()
    let delete = statements.attempts.deleteOldest
    delete.bind(1, attempt.notification)
    delete.bind(2, Int64(attempt.channel.rawValue))
    delete.bind(3, Int64(DeliveryChanges.attemptsMax))
    try delete.run()
  }

  /// Returns the stored attempts of a notification, in the order of time.
  func attempts(of notification: Int64) throws -> [Attempt] {
    var attempts: [Attempt] = []
    statements.attempts.ofNotification.bind(1, notification)
    try statements.attempts.ofNotification.rows { attempts.append(try AttemptRow($0).attempt) }
    return attempts
  }

  /// Returns the channels on which gates dropped a notification at its last attempt.
  func droppedChannels(of notification: Int64) throws -> ChannelSet {
    var dropped: ChannelSet = []
    statements.attempts.last.bind(1, notification)
    try statements.attempts.last.rows { columns in
      let last = try AttemptRow(columns).attempt
      if last.verdict == .dropped { dropped.insert(ChannelSet(last.channel)) }
    }
    return dropped
  }

  // MARK: - Dead letters

  /// Returns dead letters in the order of their notifications.
  ///
  /// - Parameters:
  ///   - sink: the sink of the last attempts; nil for all sinks.
  ///   - last: the dead letter after which to begin; nil to begin with the first.
  func deadLetters(
    of sink: String?, after last: (notification: Int64, channel: Channel)?, limit: Int
  ) throws -> [DeadLetter] {
    var letters: [DeadLetter] = []
    let select = statements.attempts.deadLetters
    select.bind(1, last?.notification ?? 0)
    select.bind(2, Int64(last?.channel.rawValue ?? 0))
    select.bind(3, sink ?? "")
    select.bind(4, Int64(limit))
    try select.rows { columns in
      if let letter = try deadLetter(columns) { letters.append(letter) }
    }
    return letters
  }

  func deadLetter(
    _ notification: Int64, _ channel: Channel
  ) throws -> DeadLetter? {
    let select = statements.attempts.deadLetter
    select.bind(1, notification)
    select.bind(2, Int64(channel.rawValue))
    return try select.first(deadLetter) ?? nil
  }

  /// Reads a dead letter; returns nil if this version has no such channel.
  private func deadLetter(_ columns: HotStatement) throws -> DeadLetter? {
    let first = DeliveryRow.columnCount
    let channel = Channel(rawValue: UInt8(truncatingIfNeeded: columns.integer(first + 1)))
    guard let channel else { return nil }
    let row = try DeliveryRow(columns)
    return DeadLetter(
      delivery: row.delivery(on: channel, of: statements.instance), sink: columns.text(first),
      attempts: Int(columns.integer(first + 2)), reason: columns.text(first + 3),
      deaths: Int(columns.integer(first + 4)))
  }

  func deadLetterCount(limit: Int) throws -> Int {
    statements.attempts.countDeadLetters.bind(1, Int64(limit))
    return try statements.attempts.countDeadLetters.first { Int($0.integer(0)) } ?? 0
  }
}
