package import Access
package import CivilTime
import Outbox
package import Reminders
import Store

/// A change for one recipient whose answer lists the effects (rule P5).
package struct Write: Sendable {
  package var events: [Event]
  /// The required version of the recipient's preferences; nil for any.
  package var version: Int64?
  /// The id of a delivered notification to dismiss with it; nil for none. If it no longer exists,
  /// the write is refused at `dismissedPath`.
  package var dismissed: String?
  package static let dismissedPath = "dismissed"

  package init(events: [Event], version: Int64? = nil, dismissed: String? = nil) {
    self.events = events
    self.version = version
    self.dismissed = dismissed
  }
}

/// The result of a write.
package enum WriteReceipt: Sendable {
  case done(Consequences, version: Int64)
  /// Refused; nothing changed.
  case refused(Refusal)
  /// The preferences have changed since the required version; nothing was written.
  case outdated(version: Int64)
}

extension EngineCore {
  /// Compares, ingests and answers in one cycle, so that the answer is exactly what happened.
  func perform(
    _ write: Write, _ turn: inout Turn, in transaction: any StoreWriter
  ) throws -> WriteReceipt {
    guard let name = write.events.first?.recipient else {
      return .refused(Refusal(path: "", "changes nothing; give at least one preference"))
    }
    var before =
      try person(named: name, &turn, in: transaction)?.stored.recipient
      ?? Recipient(name: name, now: turn.now)
    for event in write.events {
      before.revive(try settledRequest(of: event, by: before, turn, in: transaction))
    }
    let version = before.facts.preferencesVersion
    if let expected = write.version, expected != version { return .outdated(version: version) }
    do {
      try before.check(write.events, planner: turn.planner)
    } catch {
      turn.counters.count(.refused(error))
      return .refused(error)
    }
    if let refusal = try dismiss(write, of: name, &turn, in: transaction) {
      return .refused(refusal)
    }
    let consequences = before.consequences(of: write.events, now: turn.now, planner: turn.planner)
    for event in before.upToDate(write.events) { _ = try takeIn(event, &turn, in: transaction) }
    foldArrivals(&turn)
    let after = try person(named: name, &turn, in: transaction)?.stored.recipient ?? before
    return .done(consequences, version: after.facts.preferencesVersion)
  }

  /// Dismisses a notification that becomes pending again; of two such writes only one finds it
  /// (rule N8).
  ///
  /// - Returns: the refusal; nil if it is done.
  private func dismiss(
    _ write: Write, of name: String, _ turn: inout Turn, in transaction: any StoreWriter
  ) throws -> Refusal? {
    guard let identifier = write.dismissed else { return nil }
    let receipt = try perform(.dismiss(identifier), of: name, &turn, in: transaction)
    guard receipt?.count ?? 0 > 0 else {
      return Refusal(path: Write.dismissedPath, "was not delivered, or is dismissed already")
    }
    try withdrawDigest(identifier, of: name, &turn, in: transaction)
    return nil
  }
}

extension EngineCore {
  /// The pause after a failed attempt to clean the files.
  private static let pause = TimeSpan.minutes(1)

  /// Cleans the store's files of erased recipients (rule H4), unless it has just failed.
  func finishErasure(now: Instant) throws(StoreError) {
    if let cleaning { return try follow(cleaning, now: now) }
    guard isCleaningDue(now: now) else { return }
    erasureRetry = try store.finishErasure() ? nil : now + Self.pause
  }

  /// Takes the result of the cleaning thread, and starts it again if needed.
  private func follow(_ cleaning: FileCleaning, now: Instant) throws(StoreError) {
    if let result = cleaning.takeResult() {
      let isNews = try end(result.get())
      // If the result is nothing new, another attempt would have the same result now.
      erasureRetry = store.isErasureOpen && !isNews ? now + Self.pause : nil
    }
    guard isCleaningDue(now: now) else { return }
    erasureRetry = nil
    cleaning.begin()
  }

  /// - Returns: whether more erasures are finished than before.
  private func end(_ erasures: Int) throws(StoreError) -> Bool {
    do throws(StoreError) {
      try store.endErasures(erasures)
    } catch {
      guard error.isPassing else { throw error }
      return false
    }
    defer { erasuresCleaned = erasures }
    return erasures > erasuresCleaned
  }

  private func isCleaningDue(now: Instant) -> Bool {
    store.isErasureOpen && erasureRetry.map { $0 <= now } ?? true
  }
}

extension EngineCore {
  /// Records a change of a token, which takes effect when it is on disk.
  func perform(
    _ change: TokenChange, _ answer: @escaping Answer<TokenRecord?>, _ turn: inout Turn,
    in transaction: any StoreWriter
  ) throws {
    let token = try record(change, in: transaction)
    turn.answers.append { [tokens] in
      if let token { tokens.keep([token]) }
      answer(.success(token))
    }
  }

  private func record(
    _ change: TokenChange, in transaction: any StoreWriter
  ) throws -> TokenRecord? {
    switch change {
    case .add(let token):
      try transaction.save(tokens: [token])
      return token
    case .revoke(let identifier, let now):
      guard var token = try transaction.token(identifier) else { return nil }
      token.revoked = token.revoked ?? now
      try transaction.save(tokens: [token])
      return token
    case .use(let identifier, let now):
      guard var token = try transaction.token(identifier) else { return nil }
      token.lastUse = now
      try transaction.save(tokens: [token])
      return token
    }
  }
}

/// A change of a token.
package enum TokenChange: Sendable {
  case add(TokenRecord)
  case revoke(identifier: String, Instant)
  /// The token was used.
  case use(identifier: String, Instant)
}
