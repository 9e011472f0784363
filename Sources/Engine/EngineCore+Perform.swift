import CivilTime
import Delivery
import Reminders
import Store

extension EngineCore {
  /// Everything of a turn that is written, in one transaction.
  func perform(
    _ turn: inout Turn, _ requests: [Request], in transaction: StoreTransaction
  ) throws {
    try saveClockNews(in: transaction)
    try planAnew(&turn, in: transaction)
    try lookAhead(requests, &turn, in: transaction)
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
      let events = events.span
      for index in events.indices {
        let known = turn.lookedUp.popFirst()
        receipts.append(try takeIn(events[index], knowing: known, &turn, in: transaction))
      }
      foldArrivals(&turn)
      turn.answers.append { answer(.success(receipts)) }
    case .write(let write, let answer):
      let receipt = try perform(write, &turn, in: transaction)
      turn.answers.append { answer(.success(receipt)) }
    case .deadLetterWrite(let write, let answer):
      let receipt = try perform(write, &turn, in: transaction)
      turn.answers.append { answer(.success(receipt)) }
    case .test(let name, let order, let witness, let answer):
      let receipt = try perform(order, of: name, witness, &turn, in: transaction)
      turn.answers.append { answer(.success(receipt)) }
    case .token(let change, let answer):
      try perform(change, answer, &turn, in: transaction)
    case .inboxWrite(let name, let write, let answer):
      let receipt = try perform(write, of: name, &turn, in: transaction)
      turn.answers.append { answer(.success(receipt)) }
    case .sinkAnswered(let lane, let result):
      try record(result, lane: lane, &turn, in: transaction)
    case .planWith(let planner):
      let isDone = recipients + turn.newRecipients == 0
      try keep(planner, isDone: isDone, in: transaction)
      if planner.fingerprint != self.planner.fingerprint {
        try keepPlanStart(turn.now, in: transaction)
      }
      turn.answers.append { [self] in plan(with: planner) }
    case .forgetTest, .adopt, .cleaned, .stop: break
    }
  }

  private func saveTouched(_ turn: inout Turn, in transaction: StoreTransaction) throws {
    var rest = turn.people.touched[...]
    while !rest.isEmpty {
      var herd: [StoredRecipient] = []
      var outlooks: [Outlook] = []
      for person in rest.prefix(Self.group) {
        outlooks.append(try settle(&person.stored, &turn, in: transaction))
        herd.append(person.stored)
      }
      try keep(herd, outlooks, &turn, in: transaction)
      rest = rest.dropFirst(Self.group)
    }
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
