import CivilTime
import Delivery
import Reminders
import Store

extension EngineCore {
  /// Everything of a turn that is written, in one transaction.
  func perform(
    _ turn: inout Turn, _ requests: [Request], in transaction: StoreTransaction
  ) throws {
    try planAnew(&turn, in: transaction)
    for request in requests { try perform(request, &turn, in: transaction) }
    try fireDue(&turn, in: transaction)
    try saveTouched(&turn, in: transaction)
    try saveUsage(&turn, in: transaction)
    try shiftRetries(&turn, in: transaction)
    try recordHandovers(&turn, in: transaction)
  }

  private func perform(
    _ request: Request, _ turn: inout Turn, in transaction: StoreTransaction
  ) throws {
    switch request {
    case .submit(let events, let answer):
      var receipts: [Receipt] = []
      receipts.reserveCapacity(events.count)
      for event in events {
        receipts.append(try takeIn(event, &turn, in: transaction))
      }
      turn.answers.append { answer(.success(receipts)) }
    case .write(let write, let answer):
      let receipt = try perform(write, &turn, in: transaction)
      turn.answers.append { answer(.success(receipt)) }
    case .token(let change, let answer):
      try perform(change, answer, &turn, in: transaction)
    case .inboxWrite(let name, let write, let answer):
      let receipt = try perform(write, of: name, &turn, in: transaction)
      turn.answers.append { answer(.success(receipt)) }
    case .sinkAnswered(let lane, let result):
      try record(result, lane: lane, &turn, in: transaction)
    case .planWith(let planner, let answer):
      let isDone = recipients + turn.newRecipients == 0
      try keep(planner, isDone: isDone, in: transaction)
      if planner.fingerprint != self.planner.fingerprint {
        try keepPlanStart(turn.now, in: transaction)
      }
      turn.answers.append { [self] in
        if stale.isEmpty { stalePlanner = self.planner }
        noteZones(of: planner)
        self.planner = planner
        stale.append(upTo: timers.count - 1)
        answer?(.success(()))
      }
    case .agenda, .recipient, .history, .inbox, .told, .watch, .page, .status, .metrics, .analytics,
      .usage,
      .export, .stop:
      break
    }
  }

  // MARK: - Events

  func takeIn(
    _ event: Event, _ turn: inout Turn, in transaction: StoreTransaction
  ) throws -> Receipt {
    let receipt = try judge(event, &turn, in: transaction)
    turn.counters.count(receipt)
    return receipt
  }

  private func judge(
    _ event: Event, _ turn: inout Turn, in transaction: StoreTransaction
  ) throws -> Receipt {
    switch try transaction.match(event) {
    case .same: return .duplicate
    case .other: return .refused(.repeated(event))
    case .new(let slot): return try takeIn(event, slot: slot, &turn, in: transaction)
    }
  }

  private func takeIn(
    _ event: Event, slot: Int64, _ turn: inout Turn, in transaction: StoreTransaction
  ) throws -> Receipt {
    if let erasure = try transaction.erasure(of: event.recipient), event.time < erasure {
      return .refused(.erased(before: erasure))
    }
    let kept = turn.touched[ExactText(event.recipient)]
    let known = try kept ?? touched(event.recipient, turn, in: transaction)
    do {
      let recipient = known?.stored.recipient ?? Recipient(name: event.recipient, now: turn.now)
      try recipient.check(event, planner: turn.planner)
    } catch {
      return .refused(error)
    }
    let touched = known ?? admit(event.recipient, &turn, in: transaction)
    if kept == nil { turn.touched[ExactText(event.recipient)] = touched }
    try fireDue(&touched.stored, &turn, in: transaction)
    let order = try transaction.append(
      event, slot: slot, row: touched.stored.row, previous: touched.stored.lastEvent,
      received: turn.now)
    touched.stored.lastEvent = order
    if case .erasure = event.content {
      try erase(touched.stored, at: event.time, &turn, in: transaction)
      return .accepted
    }
    let before = event.isOfPreferences ? touched.stored.recipient.facts : nil
    touched.stored.recipient.apply(event, order: order, now: turn.now, planner: turn.planner)
    touched.stored.haveNewFacts()
    try measure(event, from: before, touched.stored, &turn, in: transaction)
    if case .opening(let notification) = event.content {
      try open(notification, at: event.time, &touched.stored, &turn, in: transaction)
    }
    return .accepted
  }

  /// The recipient as this turn has it: read once, written once.
  func touched(
    _ name: String, _ turn: Turn, in transaction: StoreTransaction
  ) throws -> Turn.Touched? {
    if let touched = turn.touched[ExactText(name)] { return touched }
    return try transaction.recipient(named: name).map(Turn.Touched.init)
  }

  private func admit(
    _ name: String, _ turn: inout Turn, in transaction: StoreTransaction
  ) -> Turn.Touched {
    turn.newRecipients += 1
    return Turn.Touched(transaction.admit(Recipient(name: name, now: turn.now)))
  }

  /// What is due comes before what an event changes, also before the next event of the same batch.
  func fireDue(
    _ stored: inout StoredRecipient, _ turn: inout Turn, in transaction: StoreTransaction
  ) throws {
    let isDue = stored.due.map { $0 <= turn.now } ?? false
    guard isDue || stored.recipient.hasDue(at: turn.now) else { return }
    try fire(&stored, &turn, in: transaction)
    stored.due = nil
  }

  private func erase(
    _ stored: StoredRecipient, at time: Instant, _ turn: inout Turn,
    in transaction: StoreTransaction
  ) throws {
    try transaction.erase(stored, at: time)
    turn.answers.append { [self] in forgetDeliveries(to: stored.row) }
    turn.touched[ExactText(stored.recipient.name)] = nil
    turn.newRecipients -= 1
    turn.answers.append { [tokens] in tokens.removeAll(of: stored.recipient.name) }
    turn.outlooks.append((stored.row, nil, stored.pending))
  }

  private func saveTouched(_ turn: inout Turn, in transaction: StoreTransaction) throws {
    guard !turn.touched.isEmpty else { return }
    var herd: [StoredRecipient] = []
    var outlooks: [Outlook] = []
    herd.reserveCapacity(turn.touched.count)
    outlooks.reserveCapacity(turn.touched.count)
    for touched in turn.touched.values.sorted(by: { $0.stored.row < $1.stored.row }) {
      outlooks.append(try settle(&touched.stored, &turn, in: transaction))
      herd.append(touched.stored)
    }
    try keep(herd, outlooks, &turn, in: transaction)
  }

  private func settle(
    _ stored: inout StoredRecipient, _ turn: inout Turn, in transaction: StoreTransaction
  ) throws -> Outlook {
    let situation = Situation(facts: stored.recipient.facts, planner: turn.planner)
    // What arrived late, or was let out by a changed preference, is due at once.
    guard stored.recipient.hasDue(at: turn.now) else {
      return stored.recipient.outlook(in: situation)
    }
    return try fire(&stored, knowing: situation, &turn, in: transaction)
  }
}

extension Refusal {
  /// Rule H4: what is older than an erasure does not bring back whom it erased.
  fileprivate static func erased(before erasure: Instant) -> Refusal {
    Refusal(
      path: "time",
      "is before \(erasure), when this recipient was erased; nothing of before is taken in any more"
    )
  }

  fileprivate static func repeated(_ event: Event) -> Refusal {
    Refusal(
      .conflict, path: "id",
      "\"\(event.identifier)\" of \"\(event.source)\" was used for another event before; "
        + "give every event an id of its own")
  }
}
