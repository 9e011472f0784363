package import Access
package import CivilTime
import Outbox
package import Reminders
import Store

/// A write about one recipient that is answered with what it changes (rule P5).
package struct Write: Sendable {
  package var events: [Event]
  /// What the recipient's preferences must still be at; nil for whatever they are.
  package var version: Int64?
  /// The identifier of what was delivered to the recipient and is dismissed with it; nil for
  /// nothing. Where it is there no more, the write is refused at `dismissedPath`.
  package var dismissed: String?
  package static let dismissedPath = "dismissed"

  package init(events: [Event], version: Int64? = nil, dismissed: String? = nil) {
    self.events = events
    self.version = version
    self.dismissed = dismissed
  }
}

/// What became of a write.
package enum WriteReceipt: Sendable {
  case done(Consequences, version: Int64)
  /// Not for this recipient; nothing changed.
  case refused(Refusal)
  /// Someone else has written since; nothing changed.
  case outdated(version: Int64)
}

extension EngineCore {
  /// Compares, takes in and answers in one turn, so that what is answered is what happened.
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
    for event in write.events {
      do {
        try before.check(event, planner: turn.planner)
      } catch {
        turn.counters.count(.refused(error))
        return .refused(error)
      }
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

  /// What comes again takes the place of what was said, which of two writes one finds (rule N4).
  ///
  /// - Returns: why that cannot be; nil where it is done.
  private func dismiss(
    _ write: Write, of name: String, _ turn: inout Turn, in transaction: any StoreWriter
  ) throws -> Refusal? {
    guard let identifier = write.dismissed else { return nil }
    let receipt = try perform(.dismiss(identifier), of: name, &turn, in: transaction)
    guard receipt?.count ?? 0 == 0 else { return nil }
    return Refusal(path: Write.dismissedPath, "was not delivered, or is dismissed already")
  }
}

extension EngineCore {
  /// How long after an attempt to clean the files that failed there is another.
  private static let pause = TimeSpan.minutes(1)

  /// Cleans the store's files of who was erased (rule H4), unless it was tried in vain just now.
  func finishErasure(now: Instant) throws(StoreError) {
    if let cleaning { return try follow(cleaning, now: now) }
    guard isCleaningDue(now: now) else { return }
    erasureRetry = try store.finishErasure() ? nil : now + Self.pause
  }

  /// Where another thread cleans them: takes what it has come to, and lets it begin again.
  private func follow(_ cleaning: FileCleaning, now: Instant) throws(StoreError) {
    if let result = cleaning.takeResult() {
      let isNews = try end(result.get())
      // What has come to nothing new would come to the same at once.
      erasureRetry = store.isErasureOpen && !isNews ? now + Self.pause : nil
    }
    guard isCleaningDue(now: now) else { return }
    erasureRetry = nil
    cleaning.begin()
  }

  /// - Returns: whether more erasures than before are known to be done.
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
  /// Records what is done to a token, and lets it count when that is on disk.
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

/// What is done to the tokens.
package enum TokenChange: Sendable {
  case add(TokenRecord)
  case revoke(identifier: String, Instant)
  /// It has let its bearer in.
  case use(identifier: String, Instant)
}
