import CivilTime
import Reminders
import Store

/// What came of an occurrence, for which of several recipients, and what it says.
struct Fired {
  let recipient: Int
  let firing: Firing
  let caption: Caption
  let use: FiringUse
}

extension EngineCore {
  /// How many recipients are read, decided and written together: enough that reading and writing
  /// go from row to row, few enough that all of it stays in the processor's cache.
  static let group = 256

  /// Fires the recipients whose turn it is, but for those of whom this turn has something to write:
  /// these are fired when an event reaches them or when they are saved.
  func fireDue(_ turn: inout Turn, in transaction: StoreTransaction) throws {
    var rest = turn.dueRows
    while !rest.isEmpty {
      var herd = try transaction.recipients(rows: rest.prefix(Self.group))
      rest = rest.dropFirst(Self.group)
      if !turn.people.isEmpty { herd.removeAll { turn.people.isTouched($0.recipient.name) } }
      try fire(&herd, &turn, in: transaction)
    }
  }

  private func fire(
    _ herd: inout [StoredRecipient], _ turn: inout Turn, in transaction: StoreTransaction
  ) throws {
    var fired: [Fired] = []
    var outlooks: [Outlook] = []
    fired.reserveCapacity(herd.count)
    outlooks.reserveCapacity(herd.count)
    for index in herd.indices {
      turn.countLateness(since: herd[index].due)
      let situation = Situation(facts: herd[index].recipient.facts, planner: turn.planner)
      outlooks.append(fire(&herd[index], at: index, situation, turn.now, &fired))
    }
    try record(fired, of: &herd, &turn, in: transaction)
    try keep(herd, outlooks, &turn, in: transaction)
  }

  /// Fires what is due for a recipient and records what came of it.
  ///
  /// - Parameter known: the situation of the recipient's facts, if it is at hand.
  @discardableResult
  func fire(
    _ stored: inout StoredRecipient, knowing known: Situation? = nil, _ turn: inout Turn,
    in transaction: StoreTransaction
  ) throws -> Outlook {
    let situation = known ?? Situation(facts: stored.recipient.facts, planner: turn.planner)
    var fired: [Fired] = []
    turn.countLateness(since: stored.due)
    let outlook = fire(&stored, at: 0, situation, turn.now, &fired)
    guard !fired.isEmpty else { return outlook }
    var herd = [stored]
    try record(fired, of: &herd, &turn, in: transaction)
    stored = herd[0]
    return outlook
  }

  /// What is settled of the requests leaves the recipient's facts.
  private func fire(
    _ stored: inout StoredRecipient, at index: Int, _ situation: Situation, _ now: Instant,
    _ fired: inout [Fired]
  ) -> Outlook {
    let (firings, outlook) = stored.recipient.fire(now: now, in: situation)
    for firing in firings {
      guard let caption = situation.caption(of: firing) else { continue }
      let use = FiringUse(firing, category: caption.category, zone: situation.zone)
      fired.append(Fired(recipient: index, firing: firing, caption: caption, use: use))
    }
    if stored.recipient.facts.requests.count != situation.facts.requests.count {
      stored.hasNews = true
    }
    return outlook
  }

  /// Writes what has become of recipients, whose rows ascend.
  func keep(
    _ herd: [StoredRecipient], _ outlooks: [Outlook], _ turn: inout Turn,
    in transaction: StoreTransaction
  ) throws {
    try transaction.save(herd, outlooks)
    for index in herd.indices {
      turn.outlooks.append((herd[index].row, outlooks[index], herd[index].pending))
    }
  }
}
