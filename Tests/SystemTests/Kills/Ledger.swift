import JSON

/// What was reported, what was acknowledged and what was delivered, over all the lives of a
/// service: recipient `r7` is reported on once, by event `e7`, and is to hear of it once.
struct Ledger {
  private struct Entry {
    let event: String
    var timesSent = 0
    var isAcknowledged = false
    /// The id under which it was delivered, and in which life first and last.
    var delivery: String?
    var firstLife = 0
    var lastLife = 0
  }

  /// What must not be, in words.
  private(set) var violations: [String] = []
  /// Deliveries that had been made in an earlier life.
  private(set) var repetitions = 0
  /// Lines that a kill has cut off.
  var cutLines = 0
  /// Events that were found taken in though nobody had been told.
  private(set) var silentlyTaken = 0
  private(set) var life = 0
  private var entries: [Entry] = []
  /// Those whose sender was left without an answer.
  private var unanswered: [Int] = []

  var count: Int { entries.count }
  var isEverythingAnswered: Bool { unanswered.isEmpty }
  var unacknowledged: Int { entries.count { !$0.isAcknowledged } }
  var isEverythingDelivered: Bool { entries.allSatisfy { $0.delivery != nil } }
  /// What was acknowledged and never delivered.
  var lost: [String] {
    entries.indices.filter { entries[$0].isAcknowledged && entries[$0].delivery == nil }
      .map { "r\($0)" }
  }

  mutating func beginLife() {
    life += 1
  }

  // MARK: - Sending

  /// Enters a new event.
  mutating func compose(_ event: (_ number: Int) -> String) -> Int {
    entries.append(Entry(event: event(entries.count)))
    return entries.count - 1
  }

  /// An event that is to be sent again for want of an answer, if there is one.
  mutating func takeUnanswered() -> Int? {
    unanswered.popLast()
  }

  /// Some event that was acknowledged, if there is one at the place that chance picks.
  func acknowledged(at chance: Int) -> Int? {
    guard !entries.isEmpty else { return nil }
    let number = chance % entries.count
    return entries[number].isAcknowledged ? number : nil
  }

  mutating func send(_ number: Int) -> String {
    entries[number].timesSent += 1
    return entries[number].event
  }

  /// The service was killed, or had no time, before it said what became of the event.
  mutating func leaveUnanswered(_ number: Int) {
    if !entries[number].isAcknowledged { unanswered.append(number) }
  }

  // MARK: - What comes back

  mutating func answer(_ number: Int, _ status: String) {
    let entry = entries[number]
    let wasDeliveredBefore = entry.delivery != nil && entry.firstLife < life
    switch status {
    case "accepted" where entry.isAcknowledged:
      violations.append("e\(number) was acknowledged, and then it was news")
    case "accepted" where wasDeliveredBefore:
      violations.append("e\(number) was delivered, and then it was news")
    case "duplicate" where entry.timesSent == 1:
      violations.append("e\(number) was sent once, and was a duplicate")
    case "duplicate" where !entry.isAcknowledged:
      silentlyTaken += 1
    case "accepted", "duplicate": break
    default: violations.append("e\(number) was \(status)")
    }
    entries[number].isAcknowledged = true
  }

  /// Takes a line that the sink has written; other reminders than those that were reported, whose
  /// time has come by chance, are none of its business.
  mutating func deliver(_ line: ArraySlice<UInt8>) {
    guard let delivery = try? JSONParser.parse(Array(line)) else {
      cutLines += 1
      return
    }
    guard delivery["reminder"]?.stringValue == Report.reminder else { return }
    guard let recipient = delivery["recipient"]?.stringValue, let id = delivery["id"]?.stringValue,
      let number = Int(recipient.dropFirst()), entries.indices.contains(number),
      entries[number].timesSent > 0
    else {
      violations.append("nobody asked for \(delivery)")
      return
    }
    enter(id, number)
  }

  private mutating func enter(_ id: String, _ number: Int) {
    if let known = entries[number].delivery {
      repetitions += 1
      if known != id { violations.append("r\(number) was delivered as \(known) and as \(id)") }
      if entries[number].lastLife == life {
        violations.append("r\(number) was delivered twice in one life")
      }
    } else {
      entries[number].delivery = id
      entries[number].firstLife = life
    }
    entries[number].lastLife = life
  }
}
