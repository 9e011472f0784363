import JSON

/// Reported, acknowledged and delivered events over all runs of a service.
///
/// Recipient `r7` has one event, `e7`. It must be notified under one id, at most once in each run.
struct Ledger {
  private struct Entry {
    let event: String
    var timesSent = 0
    var isAcknowledged = false
    /// The id of the event's delivery, and the first and last run with a delivery.
    var delivery: String?
    var firstRun = 0
    var lastRun = 0
  }

  /// Descriptions of violations.
  private(set) var violations: [String] = []
  /// Deliveries repeated from an earlier run.
  private(set) var repetitions = 0
  /// Lines cut off by a kill.
  var cutLines = 0
  /// Events that the service accepted although their sender got no answer.
  private(set) var silentlyAccepted = 0
  private(set) var runCount = 0
  private var entries: [Entry] = []
  /// Events whose sender got no answer.
  private var unanswered: [Int] = []

  var count: Int { entries.count }
  var isEverythingAnswered: Bool { unanswered.isEmpty }
  var unacknowledgedCount: Int { entries.count { !$0.isAcknowledged } }
  var isEverythingDelivered: Bool { entries.allSatisfy { $0.delivery != nil } }
  /// Acknowledged events without a delivery.
  var lost: [String] {
    entries.indices.filter { entries[$0].isAcknowledged && entries[$0].delivery == nil }
      .map { "r\($0)" }
  }

  mutating func beginRun() {
    runCount += 1
  }

  // MARK: - Sending

  /// Adds a new event.
  mutating func add(_ event: (_ number: Int) -> String) -> Int {
    entries.append(Entry(event: event(entries.count)))
    return entries.count - 1
  }

  /// Removes and returns an event that is to be sent again, if there is one.
  mutating func takeUnanswered() -> Int? {
    unanswered.popLast()
  }

  /// Returns the event that a random number chooses; nil if it is not acknowledged.
  func acknowledged(at random: Int) -> Int? {
    guard !entries.isEmpty else { return nil }
    let number = random % entries.count
    return entries[number].isAcknowledged ? number : nil
  }

  /// Counts one sending of an event, and returns its JSON.
  mutating func send(_ number: Int) -> String {
    entries[number].timesSent += 1
    return entries[number].event
  }

  /// Records that the service ended before it answered.
  mutating func leaveUnanswered(_ number: Int) {
    if !entries[number].isAcknowledged { unanswered.append(number) }
  }

  // MARK: - Answers and deliveries

  /// Records the status with which the service answered an event, and any violation by it.
  mutating func recordAnswer(_ number: Int, _ status: String) {
    let entry = entries[number]
    let wasDeliveredBefore = entry.delivery != nil && entry.firstRun < runCount
    switch status {
    case "accepted" where entry.isAcknowledged:
      violations.append("e\(number) was acknowledged, and then accepted as new")
    case "accepted" where wasDeliveredBefore:
      violations.append("e\(number) was delivered, and then accepted as new")
    case "duplicate" where entry.timesSent == 1:
      violations.append("e\(number) was sent once, and was a duplicate")
    case "duplicate" where !entry.isAcknowledged:
      silentlyAccepted += 1
    case "accepted", "duplicate": break
    default: violations.append("e\(number) was \(status)")
    }
    entries[number].isAcknowledged = true
  }

  /// Records a line of the sink. Ignores reminders that no reported event has caused.
  mutating func recordDelivery(_ line: ArraySlice<UInt8>) {
    guard let delivery = try? JSONParser.parse(Array(line)) else {
      cutLines += 1
      return
    }
    guard delivery["reminder"]?.stringValue == Report.reminder else { return }
    guard let recipient = delivery["recipient"]?.stringValue, let id = delivery["id"]?.stringValue,
      let number = Int(recipient.dropFirst()), entries.indices.contains(number),
      entries[number].timesSent > 0
    else {
      violations.append("a delivery without a reported event: \(delivery)")
      return
    }
    record(id, number)
  }

  private mutating func record(_ id: String, _ number: Int) {
    if let firstID = entries[number].delivery {
      repetitions += 1
      if firstID != id { violations.append("r\(number) was delivered as \(firstID) and as \(id)") }
      if entries[number].lastRun == runCount {
        violations.append("r\(number) was delivered twice in one run")
      }
    } else {
      entries[number].delivery = id
      entries[number].firstRun = runCount
    }
    entries[number].lastRun = runCount
  }
}
