import CivilTime
import Outbox
import Reminders
import Store

extension EngineCore {
  /// Accepts or refuses an event, and ingests it with its copies and withdrawals.
  ///
  /// - Parameter known: the rows that were already read for the event; nil to read them now.
  func takeIn(
    _ event: Event, knowing known: Turn.LookedUp? = nil, _ turn: inout Turn,
    in transaction: any StoreWriter
  ) throws -> Receipt {
    let withdrawals = try withdrawals(by: event, knowing: known, &turn, in: transaction)
    let receipt = try receipt(for: event, knowing: known, &turn, in: transaction)
    turn.counters.count(receipt)
    if case .accepted = receipt {
      try ingestCopies(event.copies + withdrawals, &turn, in: transaction)
    }
    return receipt
  }

  /// The withdrawals of copies that an event causes if it is accepted.
  private func withdrawals(
    by event: Event, knowing known: Turn.LookedUp?, _ turn: inout Turn,
    in transaction: any StoreWriter
  ) throws -> [Event] {
    guard turn.planner.mayWithdraw(event), foreignShard(of: event.recipient) == nil else {
      return []
    }
    let slot = try known?.person ?? lookUp(event.recipient, &turn, in: transaction)
    guard let person = turn.recipients[slot] else { return [] }
    foldEarlier(of: person, turn)
    return turn.planner.catalog.withdrawals(by: event) { type in
      person.intake.latestReport(of: type, before: event, of: person.stored.recipient)
    }
  }

  /// Ingests an event, or a copy for a recipient that an event names, and returns its receipt.
  func receipt(
    for event: Event, knowing known: Turn.LookedUp?, _ turn: inout Turn,
    in transaction: any StoreWriter
  ) throws -> Receipt {
    if let shard = foreignShard(of: event.recipient) { return .elsewhere(shard: shard) }
    return try judge(event, known, &turn, in: transaction)
  }

  /// Ingests the copies for the recipients that an event names, in the same transaction, except for
  /// recipients erased since. Copies for other nodes' recipients are left in that transaction (rule
  /// F11).
  private func ingestCopies(
    _ copies: [Event], _ turn: inout Turn, in transaction: any StoreWriter
  ) throws {
    for copy in copies {
      let receipt = try receipt(for: copy, knowing: nil, &turn, in: transaction)
      if case .elsewhere = receipt { turn.copies.append(copy) }
    }
  }

  private func judge(
    _ event: Event, _ known: Turn.LookedUp?, _ turn: inout Turn, in transaction: any StoreWriter
  ) throws -> Receipt {
    switch try transaction.match(event, at: known?.identity) {
    case .same: return .duplicate
    case .other: return .refused(.repeated(event))
    case .new(let slot):
      return try takeIn(event, slot: slot, by: known?.person, &turn, in: transaction)
    }
  }

  private func takeIn(
    _ event: Event, slot: Int64, by known: Int?, _ turn: inout Turn,
    in transaction: any StoreWriter
  ) throws -> Receipt {
    let nameSlot = try known ?? lookUp(event.recipient, &turn, in: transaction)
    if let erasure = turn.recipients.erasure(at: nameSlot), event.time < erasure {
      return .refused(.erased(before: erasure))
    }
    let present = turn.recipients[nameSlot]
    // A recipient erased since has nothing to withdraw.
    if present == nil, turn.planner.isWithdrawal(event) { return .duplicate }
    foldEarlier(of: present, turn)
    let request = try settledRequest(
      of: event, by: present?.stored.recipient, turn, in: transaction)
    if let refusal = refusal(of: event, reviving: request, by: present, turn) {
      return .refused(refusal)
    }
    let person = present ?? admit(event.recipient, at: nameSlot, &turn, in: transaction)
    person.isTouched = true
    try takeIn(event, slot: slot, reviving: request, of: person, &turn, in: transaction)
    if case .erasure = event.content {
      try erase(person, at: event.time, &turn, in: transaction)
    }
    return .accepted
  }

  private func takeIn(
    _ event: Event, slot: Int64, reviving request: SettledRequest?,
    of person: RecipientCache.Person, _ turn: inout Turn, in transaction: any StoreWriter
  ) throws {
    // Occurrences that were due already are decided before the request's changes.
    if person.intake.isEmpty { try fireDue(&person.stored, &turn, in: transaction) }
    let order = try transaction.append(
      event, slot: slot, row: person.stored.row, previous: person.stored.lastEvent,
      received: turn.now)
    person.stored.lastEvent = order
    if case .erasure = event.content { return }
    try transaction.keepRegion(of: event)
    try transaction.keepZone(of: event)
    try arrive(event, order, reviving: request, at: person, &turn, in: transaction)
    try dismissSnoozed(by: event, &person.stored, &turn, in: transaction)
    if case .opening(let notification) = event.content {
      try open(notification, at: event.time, &person.stored, &turn, in: transaction)
    }
  }

  /// Keeps an event until the whole request has arrived (rule E6).
  private func arrive(
    _ event: Event, _ order: Int64, reviving request: SettledRequest?,
    at person: RecipientCache.Person, _ turn: inout Turn, in transaction: any StoreWriter
  ) throws {
    if event.isOfPreferences {
      let facts = recipient(of: person, turn).facts
      try measure(event, order, from: facts, of: person.stored.row, &turn, in: transaction)
    }
    if person.intake.isEmpty {
      turn.arrived.append(person)
      person.request = turn.request
    }
    let arrival = Arrival(
      event, order: order, withdrawn: try withdrawn(by: event, in: transaction), request: request)
    person.intake.take(
      arrival, of: person.stored.recipient, now: turn.now, planner: turn.planner)
  }

  /// The recipient with the events of the current request so far.
  private func recipient(of person: RecipientCache.Person, _ turn: Turn) -> Recipient {
    person.intake.recipient(person.stored.recipient, now: turn.now, planner: turn.planner)
  }

  /// Folds the events of the current request, each recipient's as a whole, for a caller that reads
  /// the recipients at once.
  func foldArrivals(_ turn: inout Turn) {
    for person in turn.arrived {
      person.stored.fold(&person.intake, now: turn.now, planner: turn.planner)
    }
    turn.endRequest()
  }

  /// Folds the events of an earlier request of the cycle for a recipient.
  private func foldEarlier(of person: RecipientCache.Person?, _ turn: Turn) {
    guard let person, person.request != turn.request else { return }
    person.stored.fold(&person.intake, now: turn.now, planner: turn.planner)
  }

  /// The arrival number of the request that an event withdraws, whether it is ended or not.
  private func withdrawn(
    by event: Event, in transaction: any StoreWriter
  ) throws -> Int64? {
    guard case .requestCancellation(let identity) = event.content else { return nil }
    return try transaction.orders(of: [identity])[0]
  }

  private func refusal(
    of event: Event, reviving request: SettledRequest?, by person: RecipientCache.Person?,
    _ turn: Turn
  ) -> Refusal? {
    guard event.isConditional else { return nil }
    do {
      if let person {
        try person.intake.check(
          event, reviving: request, of: person.stored.recipient, now: turn.now,
          planner: turn.planner)
      } else {
        try Recipient(name: event.recipient, now: turn.now).check(event, planner: turn.planner)
      }
      return nil
    } catch {
      return error
    }
  }

  /// The recipient as of this cycle.
  func person(
    named name: String, _ turn: inout Turn, in transaction: any StoreWriter
  ) throws -> RecipientCache.Person? {
    let slot = try lookUp(name, &turn, in: transaction)
    foldEarlier(of: turn.recipients[slot], turn)
    return turn.recipients[slot]
  }

  /// Reads the recipient of a name, unless the cycle has done so.
  ///
  /// - Returns: the name's slot.
  private func lookUp(
    _ name: String, _ turn: inout Turn, in transaction: any StoreWriter
  ) throws -> Int {
    let (slot, isNew) = turn.recipients.slot(of: name)
    guard isNew else { return slot }
    turn.recipients.noteErasures(try transaction.erasures(of: [name]))
    if let stored = try transaction.recipient(named: name) {
      turn.recipients.insert(stored, at: slot)
    }
    return slot
  }

  private func admit(
    _ name: String, at slot: Int, _ turn: inout Turn, in transaction: any StoreWriter
  ) -> RecipientCache.Person {
    turn.newRecipients += 1
    let recipient = Recipient(name: name, now: turn.now)
    return turn.recipients.insert(transaction.admit(recipient), at: slot)
  }

  /// Due occurrences are decided before an event changes anything.
  func fireDue(
    _ stored: inout StoredRecipient, _ turn: inout Turn, in transaction: any StoreWriter
  ) throws {
    let isDue = stored.due.map { $0 <= turn.now } ?? false
    guard isDue || stored.recipient.hasDue(at: turn.now) else { return }
    try fire(&stored, &turn, in: transaction)
    stored.due = nil
  }

  private func erase(
    _ person: RecipientCache.Person, at time: Instant, _ turn: inout Turn,
    in transaction: any StoreWriter
  ) throws {
    let (row, name) = (person.stored.row, person.stored.recipient.name)
    try transaction.erase(person.stored, at: time)
    turn.answers.append { [self] in outbox.forget(row) }
    turn.recipients.remove(name, erased: time)
    turn.newRecipients -= 1
    turn.answers.append { [tokens] in tokens.removeAll(of: name) }
    turn.schedules.append((row, nil, person.stored.pending))
  }
}

extension Refusal {
  /// An event from before an erasure does not create the recipient again (rule H4).
  fileprivate static func erased(before erasure: Instant) -> Refusal {
    Refusal(
      path: "time",
      "is before \(erasure), when this recipient was erased; older events are rejected"
    )
  }

  fileprivate static func repeated(_ event: Event) -> Refusal {
    Refusal(
      .conflict, path: "id",
      "\"\(event.identifier)\" of \"\(event.source)\" was used for another event before; "
        + "give every event an id of its own")
  }
}

extension EngineCore {
  /// Reads everything that the events submitted to a cycle need. Reading many together takes half
  /// as long as one by one.
  func lookAhead(
    _ batches: [[Event]], _ turn: inout Turn, in transaction: any StoreWriter
  ) throws {
    let count = batches.reduce(0) { $0 + $1.count }
    guard count > 1 else { return }
    var (slots, names): ([Int], [String]) = ([], [])
    slots.reserveCapacity(count)
    turn.recipients.reserve(count)
    for batch in batches {
      let events = batch.span
      for index in events.indices {
        let (slot, isNew) = turn.recipients.slot(of: events[index].recipient)
        if isNew { names.append(events[index].recipient) }
        slots.append(slot)
      }
    }
    let identities = try transaction.places(of: batches)
    turn.lookedUp = zip(identities, slots).map { Turn.LookedUp(identity: $0, person: $1) }[...]
    turn.recipients.noteErasures(try transaction.erasures(of: names))
    try transaction.forEachRecipient(named: names) { turn.recipients.insert($0) }
  }
}

extension Request {
  /// The submitted events; nil for another request.
  var events: [Event]? {
    if case .submit(let events, _) = self { events } else { nil }
  }
}
