import CivilTime
import Fleet

/// A model of PostgreSQL as a fleet sees it: sessions, transactions that wait for each other's
/// locks, and a clock.
final class ModelServer {
  struct Node {
    let name: String
    var isFenced = false
  }

  struct Heartbeat {
    /// When the last heartbeat arrived, by the server's clock.
    var at: Instant
    var isDraining: Bool
  }

  struct Shard {
    /// The node that owns the shard; nil if the shard is free.
    var owner: Incarnation?
    var epoch: Int64 = 0
  }

  let world: FleetWorld
  let judge: FleetJudge
  var nodes: [Incarnation: Node] = [:]
  var heartbeats: [Incarnation: Heartbeat] = [:]
  /// The names of nodes that an operator has drained.
  var drainedNames: Set<String> = []
  var shards: [Shard]
  /// The committed rows, by shard.
  var rows: [ShardRows]
  var locks = LockTable()
  /// Notifies listeners that a shard has become free.
  var notify: () -> Void = {}
  /// The open sessions, by number.
  private(set) var sessions: [Int: ModelSession] = [:]
  private var sessionCount = 0
  /// The number of blocks of ids that have been reserved.
  private var blockCount: Int64 = 0
  /// The time by which the server's clock is ahead; negative if it is behind.
  var lead = TimeSpan.zero
  /// When the server last started, since the start of the simulation.
  private(set) var start: TimeSpan
  private var downUntil = TimeSpan.zero
  private var stalledUntil = TimeSpan.zero
  /// The time until which terminated sessions end late.
  var lateUntil = TimeSpan.zero

  init(_ world: FleetWorld, _ judge: FleetJudge, shards: Int) {
    (self.world, self.judge) = (world, judge)
    self.shards = .init(repeating: Shard(), count: shards)
    rows = .init(repeating: ShardRows(), count: shards)
    start = -.hours(1)
  }

  var clock: Instant { ModelClock.start + world.now + lead }

  var isDown: Bool { world.now < downUntil }

  /// Reserves numbers for notifications, even if the transaction is rolled back.
  func nextBlock() -> Range<Int64> {
    blockCount += 1
    return blockCount * 16..<(blockCount + 1) * 16
  }

  // MARK: - Sessions

  func connect(as incarnation: Incarnation, isMembership: Bool) -> ModelSession {
    sessionCount += 1
    let session = ModelSession(sessionCount, incarnation, isMembership: isMembership)
    sessions[sessionCount] = session
    return session
  }

  func isConnected(_ incarnation: Incarnation) -> Bool {
    sessions.values.contains { $0.isMembership && $0.incarnation == incarnation }
  }

  /// Ends a session: its transaction is rolled back, and its client learns of the end unless the
  /// network prevents it.
  func end(_ session: ModelSession) {
    guard session.isAlive else { return }
    session.isAlive = false
    sessions[session.number] = nil
    endTransaction(session)
    finish(session, .lost)
  }

  /// Marks a session whose client is gone. The session ends after its current request.
  func clientHasGone(from session: ModelSession) {
    guard world.now >= stalledUntil else {
      return world.after(stalledUntil - world.now) { self.clientHasGone(from: session) }
    }
    session.isAbandoned = true
    if session.reply == nil { end(session) }
  }

  /// Ends a node's sessions, each after a delay.
  func terminate(_ incarnation: Incarnation) {
    for session in sortedSessions where session.incarnation == incarnation {
      let delay = world.milliseconds(world.now < lateUntil ? 300..<3_000 : 1..<20)
      world.after(delay) { self.end(session) }
    }
  }

  var sortedSessions: [ModelSession] { sessions.values.sorted { $0.number < $1.number } }

  // MARK: - Faults

  func restart(downFor span: TimeSpan) {
    downUntil = world.now + span
    for session in sortedSessions { end(session) }
    start = downUntil
  }

  /// Stops all answers. No state is lost, and a step in progress is not interrupted.
  func stall(for span: TimeSpan) { stalledUntil = max(stalledUntil, world.now + span) }

  // MARK: - Requests

  func receive(
    _ steps: [ModelStep], from session: ModelSession, _ reply: @escaping (ModelReply) -> Void
  ) {
    guard world.now >= stalledUntil else {
      return world.after(stalledUntil - world.now) { self.receive(steps, from: session, reply) }
    }
    guard session.isAlive else { return reply(.lost) }
    session.steps = steps[...]
    session.answer = nil
    session.reply = reply
    session.requestCount += 1
    proceed(session)
  }

  /// Carries out the session's remaining steps up to one that has to wait.
  private func proceed(_ session: ModelSession) {
    guard session.isAlive, session.reply != nil else { return }
    guard world.now >= stalledUntil else {
      return world.after(stalledUntil - world.now) { self.proceed(session) }
    }
    while let step = session.steps.first {
      guard carryOut(step, for: session) else { return }
    }
    guard session.isAlive, let answer = session.answer else { return finish(session, .refused) }
    finish(session, .answer(answer))
  }

  /// - Returns: whether the next step may run at once.
  private func carryOut(_ step: ModelStep, for session: ModelSession) -> Bool {
    session.steps.removeFirst()
    switch step {
    case .lock(let row, let mode): return lock(row, mode, for: session)
    case .take(let span):
      world.after(span) { self.proceed(session) }
      return false
    case .act(let body): return apply(body(self, session), for: session)
    case .commit: return commit(session)
    }
  }

  private func lock(_ row: ModelRow, _ mode: LockMode, for session: ModelSession) -> Bool {
    if locks.acquire(row, mode, by: session.number) { return true }
    let request = session.requestCount
    let timeout = session.isMembership ? world.times.statementMax : .seconds(20)
    let endWait = ModelStep.act { _, session in
      session.isWaiting = false
      return .resume
    }
    session.steps.insert(endWait, at: session.steps.startIndex)
    session.isWaiting = true
    world.after(timeout) {
      guard session.isAlive, session.isWaiting, session.requestCount == request else { return }
      self.endTransaction(session)
      self.finish(session, .refused)
    }
    return false
  }

  private func apply(_ outcome: ModelOutcome, for session: ModelSession) -> Bool {
    switch outcome {
    case .resume: return true
    case .first(let steps): session.steps.insert(contentsOf: steps, at: session.steps.startIndex)
    case .answer(let answer): session.answer = answer
    case .stop(let answer):
      endTransaction(session)
      finish(session, .answer(answer))
      return false
    case .refuse:
      endTransaction(session)
      finish(session, .refused)
      return false
    }
    return true
  }

  private func commit(_ session: ModelSession) -> Bool {
    let loss = session.commitLoss
    if loss != .undone {
      for change in session.staged { change() }
    }
    if loss != nil {
      end(session)
      return false
    }
    endTransaction(session)
    return true
  }

  /// Drops the staged changes that were not committed, and frees the locks.
  private func endTransaction(_ session: ModelSession) {
    session.staged = []
    for number in locks.release(by: session.number) {
      guard let other = sessions[number] else { continue }
      world.after(.zero) { self.proceed(other) }
    }
  }

  /// Ends the session's request with a reply.
  private func finish(_ session: ModelSession, _ reply: ModelReply) {
    session.steps = []
    let body = session.reply
    session.reply = nil
    if session.isAbandoned { end(session) }
    body?(reply)
  }
}
