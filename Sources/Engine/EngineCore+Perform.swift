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
      try readAhead(events, &turn, in: transaction)
      let places = events.count > 1 ? try transaction.places(of: events) : []
      for index in events.indices {
        let place = places.isEmpty ? nil : places[index]
        receipts.append(try takeIn(events[index], at: place, &turn, in: transaction))
      }
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
    case .agenda, .recipient, .history, .inbox, .told, .watch, .page, .status, .metrics, .analytics,
      .usage, .export, .deadLetters, .forgetTest, .adopt, .stop:
      break
    }
  }

  // MARK: - Events

  /// - Parameter place: the event's, if it has been looked up.
  func takeIn(
    _ event: Event, at place: EventPlace? = nil, _ turn: inout Turn,
    in transaction: StoreTransaction
  ) throws -> Receipt {
    let receipt = try judge(event, at: place, &turn, in: transaction)
    turn.counters.count(receipt)
    return receipt
  }

  private func judge(
    _ event: Event, at place: EventPlace?, _ turn: inout Turn, in transaction: StoreTransaction
  ) throws -> Receipt {
    switch try transaction.match(event, at: place) {
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
    let known = try person(named: event.recipient, &turn, in: transaction)
    do {
      if let known {
        try known.stored.recipient.check(event, planner: turn.planner)
      } else {
        let nobody = Recipient(name: event.recipient, now: turn.now)
        try nobody.check(event, planner: turn.planner)
      }
    } catch {
      return .refused(error)
    }
    let person = known ?? admit(event.recipient, &turn, in: transaction)
    person.isTouched = true
    try takeIn(event, slot: slot, of: &person.stored, &turn, in: transaction)
    if case .erasure = event.content {
      try erase(person, at: event.time, &turn, in: transaction)
    }
    return .accepted
  }

  private func takeIn(
    _ event: Event, slot: Int64, of stored: inout StoredRecipient, _ turn: inout Turn,
    in transaction: StoreTransaction
  ) throws {
    try fireDue(&stored, &turn, in: transaction)
    let order = try transaction.append(
      event, slot: slot, row: stored.row, previous: stored.lastEvent, received: turn.now)
    stored.lastEvent = order
    if case .erasure = event.content { return }
    let before = event.isOfPreferences ? stored.recipient.facts : nil
    stored.recipient.apply(event, order: order, now: turn.now, planner: turn.planner)
    stored.haveNewFacts()
    try measure(event, from: before, stored, &turn, in: transaction)
    if case .opening(let notification) = event.content {
      try open(notification, at: event.time, &stored, &turn, in: transaction)
    }
  }

  /// The recipient as this turn has them: read once, written once.
  func person(
    named name: String, _ turn: inout Turn, in transaction: StoreTransaction
  ) throws -> Turn.Person? {
    if let known = turn.people[ExactText(name)] { return known }
    let person = try transaction.recipient(named: name).map(Turn.Person.init)
    turn.people.updateValue(person, forKey: ExactText(name))
    return person
  }

  /// Reads those of whom many events speak, all in one go.
  private func readAhead(
    _ events: [Event], _ turn: inout Turn, in transaction: StoreTransaction
  ) throws {
    guard events.count > 1 else { return }
    var names: [String] = []
    names.reserveCapacity(events.count)
    for event in events {
      let name = ExactText(event.recipient)
      guard turn.people[name] == nil else { continue }
      turn.people.updateValue(nil, forKey: name)
      names.append(event.recipient)
    }
    for stored in try transaction.recipients(named: names) {
      turn.people.updateValue(Turn.Person(stored), forKey: ExactText(stored.recipient.name))
    }
  }

  private func admit(
    _ name: String, _ turn: inout Turn, in transaction: StoreTransaction
  ) -> Turn.Person {
    turn.newRecipients += 1
    let person = Turn.Person(transaction.admit(Recipient(name: name, now: turn.now)))
    turn.people.updateValue(person, forKey: ExactText(name))
    return person
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
    _ person: Turn.Person, at time: Instant, _ turn: inout Turn,
    in transaction: StoreTransaction
  ) throws {
    let (row, name) = (person.stored.row, person.stored.recipient.name)
    try transaction.erase(person.stored, at: time)
    turn.answers.append { [self] in forgetDeliveries(to: row) }
    person.isTouched = false
    turn.people.updateValue(nil, forKey: ExactText(name))
    turn.newRecipients -= 1
    turn.answers.append { [tokens] in tokens.removeAll(of: name) }
    turn.outlooks.append((row, nil, person.stored.pending))
  }

  private func saveTouched(_ turn: inout Turn, in transaction: StoreTransaction) throws {
    let people = turn.people.values.compactMap { $0 }.filter(\.isTouched)
    guard !people.isEmpty else { return }
    var herd: [StoredRecipient] = []
    var outlooks: [Outlook] = []
    herd.reserveCapacity(people.count)
    outlooks.reserveCapacity(people.count)
    for person in people.sorted(by: { $0.stored.row < $1.stored.row }) {
      outlooks.append(try settle(&person.stored, &turn, in: transaction))
      herd.append(person.stored)
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
