package import CivilTime
package import Reminders

/// The comparison of recipients' records with their replays (rule L6).
package struct ServiceAudit: Sendable {
  /// A recipient with a difference that stored data does not explain.
  package struct Finding: Sendable {
    /// The recipient's id.
    package let recipient: String
    /// The first occurrence that differs.
    package let difference: RecordAudit.Difference
  }

  /// The maximum number of listed findings.
  private static let findingsMax = 100

  /// The start of the compared interval.
  package let since: Instant
  package let now: Instant
  /// The number of selected recipients that this node counts.
  private let countedPeople: Int
  package private(set) var auditedCount = 0
  /// The number of examined recipients whose past is not known.
  package private(set) var leftOutCount = 0
  /// The number of audited recipients whose events or records are stored for a part of the interval
  /// only.
  package private(set) var shortenedCount = 0
  /// The number of compared occurrences, each counted once for each channel group.
  package private(set) var occurrenceCount = 0
  /// The number of recipients with a difference that stored data does not explain.
  package private(set) var differenceCount = 0
  /// The first of these recipients, up to 100.
  package private(set) var findings: [Finding] = []
  /// The number of recipients whose first difference has a cause that stored data does not show.
  package private(set) var excused: [RecordAudit.Cause: Int] = [:]
  /// The number of differences after the first one of each recipient.
  package private(set) var followingCount = 0
  /// The earlier releases of the tz database, whose rules are not stored.
  package let missingZones: [String]
  /// The number of instants that were replayed.
  private(set) var instantCount = 0

  init(since: Instant, now: Instant, people: Int, missingZones: [String]) {
    (self.since, self.now, self.missingZones) = (since, now, missingZones)
    countedPeople = people
  }

  /// The number of recipients among whom the audited ones were selected. Other nodes may own some.
  package var people: Int { max(countedPeople, examined) }

  /// The number of examined recipients.
  var examined: Int { auditedCount + leftOutCount }

  /// The end of the compared interval. A decision that is less than a minute old may not be
  /// recorded yet (rule T8).
  package var end: Instant { max(since, now - Recipient.countedDelayMax) }

  /// Counts a recipient whose past is not known.
  mutating func leaveOut() { leftOutCount += 1 }

  /// Audits a recipient.
  ///
  /// - Parameters:
  ///   - readSince: the instant before `since` from which decisions are compared with each other.
  ///   - adoptedSince: the instant of the first stored adoption.
  /// - Returns: the reason why the recipient's past is not known; nil if it is.
  mutating func add(
    _ replay: RecipientReplay, of person: String, against stored: StoredRecord,
    readSince: Instant, adoptedSince: Instant
  ) -> UnknownPast? {
    var replay = replay
    let known = replay.hasUnknownProgress ? replay.start + .milliseconds(1) : since
    guard let recorded = stored.start, max(known, recorded) < end else {
      leaveOut()
      return known < end ? .noRecord : .early(start: replay.start)
    }
    let start = max(since, known, recorded)
    if replay.start < readSince { replay.run(to: readSince) }
    replay.recordDecisions()
    replay.run(to: now)
    instantCount += replay.instantCount
    guard replay.isComplete else {
      leaveOut()
      return .tooMuchWork
    }
    if start > since { shortenedCount += 1 }
    let isUnstored = replay.start < adoptedSince || !missingZones.isEmpty
    add(
      RecordAudit(
        of: replay, against: stored.record, in: start..<end, hasUnstoredPast: isUnstored),
      of: person)
    return nil
  }

  private mutating func add(_ audit: RecordAudit, of person: String) {
    auditedCount += 1
    occurrenceCount += audit.occurrenceCount
    followingCount += audit.followingCount
    if let cause = audit.excuse { excused[cause, default: 0] += 1 }
    guard let difference = audit.difference else { return }
    differenceCount += 1
    guard findings.count < Self.findingsMax else { return }
    findings.append(Finding(recipient: person, difference: difference))
  }
}
