import CivilTime
import Outbox

/// Finds the conditions in the service's status that an operator should know.
struct Diagnosis {
  let status: StatusDocument
  /// The version of chimectl.
  let version: String

  /// A lane, the queue of a sink, is behind if its oldest delivery has waited longer than this.
  private static let waitMax = TimeSpan.minutes(1)

  /// The findings, faults first.
  var findings: [Finding] {
    let optionalFindings: [Finding?] =
      [storage, disk, loss, clockHold, clockLeap, unfinishedErasure, remainingFiles]
      + fleet + status.parts.map(stalledPart) + [reloadFailure, outdatedSinks]
      + status.lanes.map(lane) + [analytics, outcomes, deadLetters, audit]
      + [missingSinks, missingCatalogs]
      + [systemData] + status.endingTokens.map(token) + [versionDifference]
    let findings = optionalFindings.compactMap { $0 }
    return findings.filter { $0.weight == .fault } + findings.filter { $0.weight == .remark }
  }

  private var fleet: [Finding?] {
    guard let fleet = status.fleet else { return [] }
    let absent = fleet.silent + fleet.gone
    let absence = Finding(
      weight: .fault,
      summary: "\(Self.count(absent, "node", "nodes")) of \(fleet.nodes) "
        + (absent == 1 ? "is away" : "are away"),
      details: [],
      advice: "see chimectl fleet; the other nodes take over the shards when the lease has expired")
    return [
      fleet.isTrusted ? nil : FleetFindings.distrust,
      FleetFindings.unowned(fleet.free, of: fleet.shards, hasTaker: fleet.takers > 0),
      absent > 0 ? absence : nil,
      FleetFindings.differing(fleet.differences),
      fleet.isSkewed ? FleetFindings.skewed(fleet.skew ?? 0) : nil,
    ] + fleet.troubles.findings
  }

  private var storage: Finding? {
    guard let failure = status.storageFailure else { return nil }
    return Finding(
      weight: .fault, summary: "nothing can be written",
      details: [failure, textWithDueCount("events are rejected")],
      advice: failure.contains("locked the store")
        ? "end the program that holds the lock (see fuser); the service then continues by itself"
        : "free space on the disk of the state directory; the service then continues by itself")
  }

  private var disk: Finding? {
    guard let use = status.diskUse, use >= 0.95, status.storageFailure == nil else { return nil }
    return Finding(
      weight: .remark, summary: "the disk of the store is \(Int(use * 100)) % full",
      details: ["events are rejected when it is full"],
      advice: "free space on the disk of the state directory, or shorten retention")
  }

  private var loss: Finding? {
    guard let loss = status.loss else { return nil }
    let lostEvents = Self.count(loss.events, "event", "events")
    let lostNotifications = Self.count(loss.notifications, "notification", "notifications")
    return Finding(
      weight: .fault, summary: "\(lostEvents) and \(lostNotifications) were lost",
      details: ["the store's log was damaged, or an older file has replaced it"]
        + (loss.until.map { ["the last lost event was acknowledged at \($0)"] } ?? []),
      advice: loss.since.map { "let apps report all events since \($0) again" }
        ?? "let apps report all events again")
  }

  private var unfinishedErasure: Finding? {
    guard let since = status.unfinishedErasureStart else { return nil }
    return Finding(
      weight: .remark, summary: "an erasure is not finished",
      details: [
        "since \(since) (\(TimeDistance.length(from: since, to: status.now))): "
          + "data of erased recipients may still be in the store's files"
      ],
      advice: "free space on the disk, and let no other program read the store; "
        + "the erasure is retried")
  }

  private var remainingFiles: Finding? {
    guard !status.remainingFiles.isEmpty else { return nil }
    return Finding(
      weight: .remark, summary: "files of a replaced store remain",
      details: [
        status.remainingFiles.joined(separator: ", "),
        "they contain old data, including that of recipients erased since the replacement",
      ],
      advice: "when they are no longer needed, delete them from the state directory")
  }

  private var clockHold: Finding? {
    guard let hold = status.clockHold else { return nil }
    return Finding(
      weight: .fault, summary: "the clock is wrong",
      details: [
        "it shows \(status.now), but the newest record is from \(hold)",
        textWithDueCount("nothing fires and events are rejected"),
      ],
      advice: "set the clock (timedatectl); if it is right: chimectl reload")
  }

  private var clockLeap: Finding? {
    guard let leap = status.clockLeap else { return nil }
    return Finding(
      weight: .fault, summary: "the clock has leapt ahead",
      details: [
        "it shows \(leap), but by the elapsed time it is \(status.now)",
        textWithDueCount("nothing fires, and events are accepted"),
      ],
      advice: "set the clock (timedatectl); if the clock is right, wait some minutes, or trust it "
        + "at once with: chimectl reload")
  }

  /// Adds the number of due recipients to a text, unless it is 0.
  private func textWithDueCount(_ text: String) -> String {
    let count = status.due
    return count == 0
      ? text : "\(text); \(Self.count(count, "recipient is", "recipients are")) due"
  }

  private func stalledPart(_ part: StatusDocument.Part) -> Finding? {
    let stallLength = Self.text(ofSeconds: part.secondsWithoutProgress)
    let limit = Self.text(ofSeconds: part.secondsAllowed)
    if part.isVital {
      guard part.secondsWithoutProgress > part.secondsAllowed * 2 / 3 else { return nil }
      return Finding(
        weight: .fault, summary: "\(part.name) makes no progress",
        details: ["for \(stallLength); after \(limit) the service is restarted"],
        advice: "see journalctl --unit chimed")
    }
    guard part.secondsWithoutProgress > part.secondsAllowed else { return nil }
    return Finding(
      weight: .remark, summary: "\(part.name) takes long to answer",
      details: ["it has not answered a batch for \(stallLength)"],
      advice: "check its destination; other sinks are not affected")
  }

  private static func text(ofSeconds seconds: Double) -> String {
    TimeDistance.length(UInt64(max(0, seconds.rounded())))
  }

  private var reloadFailure: Finding? {
    guard let failure = status.reloadFailure else { return nil }
    return Finding(
      weight: .fault, summary: "the configuration is invalid, and an earlier one is used",
      details: failure.split(separator: "\n").map(String.init),
      advice: "correct it, check it with chimed --check-config, then: chimectl reload")
  }

  private var outdatedSinks: Finding? {
    let sentences = status.outdatedSinks
    guard !sentences.isEmpty else { return nil }
    let count = Self.count(Int64(sentences.count), "sink continues", "sinks continue")
    return Finding(
      weight: .remark, summary: "\(count) with former settings", details: sentences,
      advice: Self.reloadAdvice)
  }

  private var systemData: Finding? {
    guard !status.dataWarnings.isEmpty else { return nil }
    return Finding(
      weight: .remark, summary: "the data of holidays or time zones is outdated or ends soon",
      details: status.dataWarnings,
      advice: "for holidays update chimed, or set holidays or days-off in its configuration; "
        + "for time zones update the package tzdata")
  }

  private func token(_ token: StatusDocument.EndingToken) -> Finding {
    let time = TimeDistance.text(to: token.expires, from: status.now)
    return Finding(
      weight: .remark,
      summary: "the token \(token.name) " + (token.isExpired ? "has expired" : "expires soon"),
      details: [
        "\(token.id), \(time), at \(token.expires); apps that use it "
          + (token.isExpired ? "are rejected" : "are rejected from then on")
      ],
      advice: "\(token.successor), give it to the app, "
        + "then chimectl token revoke \(token.id)")
  }

  private var deadLetters: Finding? {
    let count = status.deadLetters
    guard count > 0 else { return nil }
    let sinks = status.lanes.filter { $0.deadLetters > 0 }
      .map { "\(StatusReport.limited($0.deadLetters)) of \($0.sink)" }
    return Finding(
      weight: .remark,
      summary: "\(StatusReport.limited(count)) dead \(count == 1 ? "letter" : "letters")",
      details: sinks.isEmpty ? [] : [sinks.joined(separator: ", ")],
      advice: "see chimectl deadletters list; then chimectl deadletters resend or discard")
  }

  private var audit: Finding? {
    guard let audit = status.audit, audit.differences > 0 else { return nil }
    return Finding(
      weight: .remark,
      summary: "the audit found differences",
      details: [
        "\(StatusReport.recipients(audit.differences)) of \(audit.recipients), until \(audit.until)"
      ],
      advice: "see chimectl replay --since 2d, and report them as a fault of chimed")
  }

  private var missingCatalogs: Finding? {
    guard status.catalogs.isEmpty else { return nil }
    return Finding(
      weight: .remark, summary: "no catalog is configured", details: ["there are no reminders"],
      advice: "add one to catalogs in /etc/chimed/chimed.yaml, then: chimectl reload")
  }

  private var missingSinks: Finding? {
    guard status.lanes.isEmpty else { return nil }
    return Finding(
      weight: .remark, summary: "no sink is configured", details: ["nothing is delivered"],
      advice: "add sinks and routes to the configuration, and restart the service")
  }

  private var versionDifference: Finding? {
    guard status.version != version else { return nil }
    return Finding(
      weight: .remark, summary: "chimed is \(status.version), chimectl \(version)", details: [],
      advice: "restart the service after an update")
  }
}

// MARK: - Lanes

extension Diagnosis {
  private func lane(_ lane: LaneDocument) -> Finding? {
    if lane.isPaused { return paused(lane) }
    if lane.isDisabled {
      return disabled(
        lane, "is disabled",
        "its deliveries use the next sink of the route, or become dead letters")
    }
    if lane.isFailing { return failing(lane) }
    if let oldest = lane.oldestWaiting, status.now - oldest > Self.waitMax {
      return Finding(
        weight: .remark, summary: "\(lane.sink) is behind", details: [queue(of: lane)],
        advice: "check rate, concurrency and deadline in its settings")
    }
    guard lane.retrying > 0, let failure = lane.lastFailure else { return nil }
    let next =
      lane.nextRetry.map { "the next \(TimeDistance.text(to: $0, from: status.now)); " } ?? ""
    return Finding(
      weight: .remark,
      summary: "\(lane.sink) retries \(Self.limited(lane.retrying, "delivery", "deliveries"))",
      details: [
        next
          + "last failure \(TimeDistance.text(to: failure.at, from: status.now)): \(failure.reason)"
      ],
      advice: "see the journal of this sink: journalctl CHIME_SINK=\(lane.sink)")
  }

  private var analytics: Finding? {
    status.analytics.flatMap { finding($0, "analytics", "analytics event") }
  }

  private var outcomes: Finding? {
    status.outcomes.flatMap { finding($0, "outcomes", "outcome") }
  }

  /// Returns the finding about a lane of analytics events or outcomes; nil if there is none. A
  /// paused sink has no finding here, because its lane of deliveries already has one.
  private func finding(_ lane: LaneDocument, _ content: String, _ event: String) -> Finding? {
    guard !lane.isPaused else { return nil }
    let waits = "\(StatusReport.grouped(lane.waiting)) \(event)s wait"
    if lane.isDisabled {
      return disabled(lane, "accepts no \(content)", "its \(event)s are skipped")
    }
    if lane.isFailing {
      return Finding(
        weight: .fault, summary: "\(lane.sink) accepts no \(content)",
        details: [lane.failure ?? "it failed", waits],
        advice: lane.isUnavailable
          ? Self.reloadAdvice
          : "check its destination; the waiting events are then sent automatically")
    }
    guard let next = lane.nextRetry, let failure = lane.lastFailure else { return nil }
    return Finding(
      weight: .remark, summary: "\(lane.sink) has not accepted an \(event)",
      details: [
        failure.reason,
        "\(waits); the next attempt \(TimeDistance.text(to: next, from: status.now))",
      ], advice: "journalctl CHIME_SINK=\(lane.sink) shows details")
  }

  private func paused(_ lane: LaneDocument) -> Finding {
    Finding(
      weight: .remark, summary: "\(lane.sink) is paused", details: [queue(of: lane)],
      advice: "to resume it: chimectl sinks resume \(lane.sink); expired deliveries are dropped")
  }

  private func failing(_ lane: LaneDocument) -> Finding {
    let since = lane.failingSince.map { since in
      "since \(since) (\(TimeDistance.length(from: since, to: status.now))): "
    }
    return Finding(
      weight: .fault, summary: "\(lane.sink) is down",
      details: [
        (since ?? "") + (lane.failure ?? "it failed"),
        queue(of: lane) + (lane.isUnavailable ? "" : "; " + nextAttempt(of: lane)),
      ],
      advice: lane.isUnavailable
        ? Self.reloadAdvice
        : "check its destination; unexpired deliveries are then sent automatically")
  }

  /// The advice for a sink that could not be created, or that continues with its former settings
  /// because of that (rule S9).
  private static let reloadAdvice = "correct the cause shown above, then: chimectl reload"

  /// Describes when a failing sink is tried again. A try needs a delivery in the sink's lane.
  private func nextAttempt(of lane: LaneDocument) -> String {
    if lane.inFlight > 0 { return "a delivery is tried now" }
    guard let earliest = lane.waiting > 0 ? status.now : lane.nextRetry else {
      return "the sink is tried again with the next delivery"
    }
    let next = max(earliest, lane.nextAttempt ?? earliest)
    guard next > status.now else { return "a delivery is tried now" }
    return "the next attempt \(TimeDistance.text(to: next, from: status.now))"
  }

  private func disabled(_ lane: LaneDocument, _ state: String, _ effect: String) -> Finding {
    Finding(
      weight: .fault, summary: "\(lane.sink) \(state)",
      details: [lane.failure ?? "it is disabled", effect],
      advice: "correct or remove it in the configuration, then: chimectl reload")
  }

  /// Returns a text such as
  /// "1,200 wait, the oldest for 12 min; 1 is in flight; 3 are retried one by one".
  private func queue(of lane: LaneDocument) -> String {
    var waiting = Self.count(lane.waiting, "waits", "wait")
    if let oldest = lane.oldestWaiting {
      waiting += ", the oldest for \(TimeDistance.length(from: oldest, to: status.now))"
    }
    var parts = [waiting]
    if lane.inFlight > 0 { parts.append(Self.count(lane.inFlight, "is", "are") + " in flight") }
    if lane.retrying > 0 {
      parts.append(Self.limited(lane.retrying, "is", "are") + " retried one by one")
    }
    return parts.joined(separator: "; ")
  }

  private static func count(_ count: Int64, _ singular: String, _ plural: String) -> String {
    "\(StatusReport.grouped(count)) \(count == 1 ? singular : plural)"
  }

  private static func limited(_ count: Int64, _ singular: String, _ plural: String) -> String {
    "\(StatusReport.limited(count)) \(count == 1 ? singular : plural)"
  }
}

/// A condition of the service that an operator should know, and what to do.
struct Finding: Equatable {
  enum Weight: Equatable {
    /// Something does not work.
    case fault
    /// Something works, but needs attention.
    case remark
  }

  let weight: Weight
  /// A few words, such as "webhook is down".
  let summary: String
  /// Further details, a line each.
  let details: [String]
  /// What to do.
  let advice: String
}

extension Finding {
  /// Returns a headline, followed by indented lines with the details and the advice.
  func text(on screen: Screen) -> String {
    let style: Style = weight == .fault ? .bad : .doubtful
    let head = style.mark("! " + summary.printable, on: screen)
    let indentedLines = details.map { $0.printable } + ["-> " + advice.printable]
    return ([head] + indentedLines.map { "    " + $0 }).map { $0 + "\n" }.joined()
  }
}

extension [Finding] {
  var hasFault: Bool { contains { $0.weight == .fault } }

  /// The text "healthy", or the problems in one line.
  var headline: String {
    let summaries = map(\.summary).joined(separator: "; ")
    if hasFault { return "not healthy: \(summaries)" }
    return isEmpty ? "healthy" : "healthy, but needs attention: \(summaries)"
  }

  var style: Style { hasFault ? .bad : isEmpty ? .good : .doubtful }
}
