import CivilTime
import Outbox
import Reminders
import Store

/// Ingests events. An event is refused, or it is appended to the store and applied to its
/// recipient's facts (folded).
final class Ingestion {
  /// The store's own name, with which the ids of notifications begin.
  let instance: String
  let shards: OwnedShards
  let firing: RecipientFiring
  let outbox: EngineOutbox
  private let tokens: TokenTable
  /// When to look for events that apps have inserted into the store.
  var submissionPoll = SubmissionPoll()

  init(
    instance: String, shards: OwnedShards, firing: RecipientFiring, outbox: EngineOutbox,
    tokens: TokenTable
  ) {
    self.instance = instance
    self.shards = shards
    self.firing = firing
    self.outbox = outbox
    self.tokens = tokens
  }

  /// Returns the number of the notification with a public id; nil if the id is invalid, or another
  /// store's.
  func number(of identifier: String) -> Int64? { NotificationID(identifier, of: instance)?.number }

  /// Accepts or refuses an event. If the event is accepted, also ingests its copies for other
  /// recipients, and the withdrawals of such copies.
  ///
  /// - Parameter known: what was already looked up for the event; nil to look it up now.
  func ingest(
    _ event: Event, knowing known: Turn.EventRows? = nil, _ turn: inout Turn
  ) throws -> Receipt {
    let withdrawals = try withdrawals(by: event, knowing: known, &turn)
    let receipt = try ingestAlone(event, knowing: known, &turn)
    turn.effects.counters.count(receipt)
    guard case .accepted = receipt else { return receipt }
    turn.traceAcceptance(of: event)
    try ingestCopies(event.copies + withdrawals, &turn)
    return receipt
  }

  /// Returns the withdrawals that an event causes if it is accepted. Each withdraws the copies that
  /// are about the event's entity, such as a booking, from one recipient.
  private func withdrawals(
    by event: Event, knowing known: Turn.EventRows?, _ turn: inout Turn
  ) throws -> [Event] {
    guard turn.planner.catalog.mayWithdraw(event), shards.foreignShard(of: event.recipient) == nil
    else {
      return []
    }
    let slot = try known?.recipient ?? lookUp(event.recipient, &turn)
    guard let person = turn.recipients[slot] else { return [] }
    foldEarlierRequests(of: person, turn)
    return turn.planner.catalog.withdrawals(by: event) { type in
      person.intake.latestReport(of: type, before: event, of: person.stored.recipient)
    }
  }

  /// Ingests an event, or a copy for a recipient that an event names, without the copies and
  /// withdrawals that follow from it.
  func ingestAlone(
    _ event: Event, knowing known: Turn.EventRows?, _ turn: inout Turn
  ) throws -> Receipt {
    if let shard = shards.foreignShard(of: event.recipient) { return .elsewhere(shard: shard) }
    switch try turn.transaction.match(event, at: known?.identity) {
    case .same: return .duplicate
    case .other: return .refused(.repeated(event))
    case .new(let eventSlot):
      return try ingest(event, eventSlot: eventSlot, recipientSlot: known?.recipient, &turn)
    }
  }

  /// Ingests the copies and withdrawals of an event in the event's transaction. A copy is refused
  /// if its recipient was erased after the copy's time. Copies for recipients of other nodes are
  /// left in the store for those nodes, also in this transaction (rule F11).
  private func ingestCopies(_ copies: [Event], _ turn: inout Turn) throws {
    for copy in copies {
      let receipt = try ingestAlone(copy, knowing: nil, &turn)
      if case .elsewhere = receipt { turn.copies.append(copy) }
    }
  }

  /// Ingests a new event unless it is refused.
  ///
  /// - Parameters:
  ///   - eventSlot: the event's slot in the store's table of identities.
  ///   - recipientSlot: the recipient's slot in the cache of the engine cycle; nil to look it up.
  private func ingest(
    _ event: Event, eventSlot: Int64, recipientSlot: Int?, _ turn: inout Turn
  ) throws -> Receipt {
    let slot = try recipientSlot ?? lookUp(event.recipient, &turn)
    if let erasure = turn.recipients.erasure(at: slot), event.time < erasure {
      return .refused(.erased(before: erasure))
    }
    let present = turn.recipients[slot]
    // A recipient that does not exist, perhaps because of an erasure, has nothing to withdraw, and
    // no deliveries.
    if present == nil, turn.planner.catalog.needsRecipient(event) || event.isDeliveryReport {
      return .duplicate
    }
    foldEarlierRequests(of: present, turn)
    if let present,
      let refusal = try refusal(ofUnknownDeliveryIn: event, by: present, turn)
    {
      return .refused(refusal)
    }
    let request = try finishedRequest(of: event, by: present?.stored.recipient, turn)
    if let refusal = refusal(of: event, reviving: request, by: present, turn) {
      return .refused(refusal)
    }
    let person = present ?? admit(event.recipient, at: slot, &turn)
    person.isTouched = true
    try append(event, eventSlot: eventSlot, reviving: request, of: person, &turn)
    if case .erasure = event.content {
      turn.relays += recipient(of: person, turn).facts.relationEndings(by: event)
      try erase(person, at: event.time, &turn)
    }
    return .accepted
  }

  /// Appends an accepted event to the store, with its effects on the recipient.
  private func append(
    _ event: Event, eventSlot: Int64, reviving request: FinishedRequest?,
    of person: RecipientCache.Person, _ turn: inout Turn
  ) throws {
    // First decide the occurrences that are already due, before any event of this request changes
    // the recipient.
    if person.intake.isEmpty { try firing.fireDue(&person.stored, &turn) }
    let order = try turn.transaction.append(
      event, slot: eventSlot, row: person.stored.row, previous: person.stored.lastEvent,
      received: turn.now)
    person.stored.lastEvent = order
    if case .erasure = event.content { return }
    try turn.transaction.recordRegion(of: event)
    try turn.transaction.recordZone(of: event)
    try addArrival(of: event, order, reviving: request, to: person, &turn)
    if case .relation = event.content {
      let confirmation = recipient(of: person, turn).facts.confirmation(of: event)
      turn.relays += [confirmation].compactMap(\.self)
    }
    if event.isSighting { note(in: person, &turn) { $0.mayEndAbsence = true } }
    if event.mayChangePhone {
      let phone = recipient(of: person, turn).facts.phone
      try turn.transaction.savePhone(phone, of: person.stored)
    }
    if case .relation(let change) = event.content, change.effect == .erasure {
      try eraseTexts(about: change.person, of: person.stored, &turn)
    }
    try dismissSnoozed(by: event, &person.stored, &turn)
    noteEnding(by: event, of: person, &turn)
    if case .opening(let notification, let action) = event.content {
      try recordOpening(notification, by: action, at: event.time, &person.stored, &turn)
    }
    if case .deliveryReport(let report) = event.content {
      try record(report, at: event.time, person.stored, &turn)
    }
  }

  /// Collects an accepted event. It is applied to the facts together with the other events of its
  /// request (rule E6).
  private func addArrival(
    of event: Event, _ order: Int64, reviving request: FinishedRequest?,
    to person: RecipientCache.Person, _ turn: inout Turn
  ) throws {
    if event.changesPreferences {
      let facts = recipient(of: person, turn).facts
      try measure(event, order, from: facts, of: person.stored.row, &turn)
    }
    if person.intake.isEmpty {
      turn.requests.recipients.append(person)
      person.request = turn.requests.number
    }
    let arrival = Arrival(
      event, order: order, withdrawn: try cancelledRequest(by: event, turn), request: request)
    person.intake.add(
      arrival, of: person.stored.recipient, now: turn.now, planner: turn.planner)
  }

  /// Returns the recipient with the events that were collected so far from the current request.
  func recipient(of person: RecipientCache.Person, _ turn: borrowing Turn) -> Recipient {
    person.intake.recipient(person.stored.recipient, now: turn.now, planner: turn.planner)
  }

  /// Ends the current request (rule E6). Withdraws the notifications that its events together have
  /// ended, and sends notifications that a returned device has missed. The events are applied to
  /// the facts later.
  func endRequest(_ turn: inout Turn) throws {
    let recipients = turn.requests.hasEffects ? turn.requests.recipients : []
    for person in recipients { try carryOutEffects(on: person, &turn) }
    turn.requests.end()
  }

  /// Applies the events of the current request to the facts, and ends the request. Each recipient's
  /// events are applied together. Call this before reading their facts.
  func foldArrivals(_ turn: inout Turn) throws {
    let recipients = turn.requests.recipients
    try endRequest(&turn)
    for person in recipients { person.fold(now: turn.now, planner: turn.planner) }
  }

  /// Applies a recipient's events to the facts if they belong to an earlier request of the cycle.
  private func foldEarlierRequests(of person: RecipientCache.Person?, _ turn: borrowing Turn) {
    guard let person, person.request != turn.requests.number else { return }
    person.fold(now: turn.now, planner: turn.planner)
  }

  /// Returns the arrival number of the request for a notification that an event cancels, whether or
  /// not that notification is finished. Returns nil if the event cancels none, or if the request is
  /// unknown.
  private func cancelledRequest(by event: Event, _ turn: borrowing Turn) throws -> Int64? {
    guard case .requestCancellation(let identity) = event.content else { return nil }
    return try turn.transaction.orders(of: [identity])[0]
  }

  /// Returns why an event cannot be accepted for the facts of its recipient; nil if it can.
  private func refusal(
    of event: Event, reviving request: FinishedRequest?, by person: RecipientCache.Person?,
    _ turn: borrowing Turn
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

  /// Returns the recipient with this cycle's changes; nil if it does not exist.
  func person(named name: String, _ turn: inout Turn) throws -> RecipientCache.Person? {
    let slot = try lookUp(name, &turn)
    foldEarlierRequests(of: turn.recipients[slot], turn)
    return turn.recipients[slot]
  }

  /// Reads the recipient of a name, unless the cycle has already read it.
  ///
  /// - Returns: the slot of the name in the cycle's cache.
  private func lookUp(_ name: String, _ turn: inout Turn) throws -> Int {
    let (slot, isNew) = turn.recipients.slot(of: name)
    guard isNew else { return slot }
    turn.recipients.recordErasures(try turn.transaction.erasures(of: [name]))
    if let stored = try turn.transaction.recipient(named: name) {
      turn.recipients.insert(stored, at: slot)
    }
    return slot
  }

  /// Creates a recipient, because its first event was accepted.
  private func admit(
    _ name: String, at slot: Int, _ turn: inout Turn
  ) -> RecipientCache.Person {
    turn.effects.newRecipients += 1
    let recipient = Recipient(name: name, now: turn.now)
    return turn.recipients.insert(turn.transaction.admit(recipient), at: slot)
  }

  /// Erases a recipient in this cycle, also from the engine's memory.
  private func erase(
    _ person: RecipientCache.Person, at time: Instant, _ turn: inout Turn
  ) throws {
    let (row, name) = (person.stored.row, person.stored.recipient.name)
    try turn.transaction.erase(person.stored, at: time)
    turn.effects.usage.forgetOutcomes(of: row)
    turn.effects.answers.append { [outbox] in outbox.forget(row) }
    turn.recipients.remove(name, erased: time)
    turn.effects.newRecipients -= 1
    turn.effects.answers.append { [tokens] in tokens.removeAll(of: name) }
    turn.effects.schedules.append((row, nil, person.stored.pending))
  }
}

extension Refusal {
  /// The refusal of an event whose time is before the recipient's erasure. Such an event must not
  /// create the recipient again (rule H4).
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

extension Ingestion {
  /// Reads everything that the events submitted to a cycle need. Reading many recipients together
  /// takes half as long as reading them one by one.
  func prefetch(_ batches: [[Event]], _ turn: inout Turn) throws {
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
    // The reference is copied, because the turn changes while the store calls back.
    let transaction = turn.transaction
    let identities = try transaction.lookups(of: batches)
    turn.requests.eventRows =
      zip(identities, slots).map { Turn.EventRows(identity: $0, recipient: $1) }[...]
    turn.recipients.recordErasures(try transaction.erasures(of: names))
    try transaction.forEachRecipient(named: names) { turn.recipients.insert($0) }
  }
}

extension Request {
  /// The submitted events; nil for other kinds of requests.
  var events: [Event]? {
    if case .submit(let events, _) = self { events } else { nil }
  }
}
