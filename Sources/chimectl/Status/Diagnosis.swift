import CivilTime
import Outbox

/// Finds in what the service says of itself what an operator ought to know of.
struct Diagnosis {
  let status: StatusDocument
  /// That of this program.
  let version: String

  /// How long what waits may wait before its lane counts as behind.
  private static let patience = TimeSpan.minutes(1)

  /// Faults first.
  var findings: [Finding] {
    let all =
      [storage, loss, clock, leap, erasure, setAside] + fleet + status.parts.map(part) + [reload]
      + status.lanes.map(lane) + [analytics, deadLetters, sinks, catalogs, data, versions]
    let found = all.compactMap { $0 }
    return found.filter { $0.weight == .fault } + found.filter { $0.weight == .remark }
  }

  private var fleet: [Finding?] {
    guard let fleet = status.fleet else { return [] }
    let away = fleet.silent + fleet.gone
    let absence = Finding(
      weight: .fault,
      summary: "\(Self.count(away, "node", "nodes")) of \(fleet.nodes) \(away == 1 ? "is" : "are")"
        + " away",
      details: [], advice: "chimectl fleet tells which; the others take over after a lease")
    return [
      fleet.isTrusted ? nil : FleetFindings.distrust,
      FleetFindings.unowned(fleet.free, of: fleet.shards), away > 0 ? absence : nil,
      FleetFindings.differing(fleet.differences),
      fleet.isSkewed ? FleetFindings.skewed(fleet.skew ?? 0) : nil,
    ]
  }

  private var storage: Finding? {
    guard let failure = status.storageFailure else { return nil }
    return Finding(
      weight: .fault, summary: "nothing can be written",
      details: [failure, waitingText("events are refused")],
      advice: "make room on the disk that holds the service's state; it then goes on by itself")
  }

  private var loss: Finding? {
    guard let loss = status.loss else { return nil }
    let lost = Self.count(loss.events, "event", "events")
    let others = Self.count(loss.notifications, "notification", "notifications")
    return Finding(
      weight: .fault, summary: "\(lost) and \(others) were lost",
      details: ["the store's log was damaged, or an older file was put in its place"]
        + (loss.until.map { ["the last was acknowledged at \($0)"] } ?? []),
      advice: loss.since.map { "let apps report again what happened since \($0)" }
        ?? "let apps report everything again")
  }

  private var erasure: Finding? {
    guard let since = status.erasureOpen else { return nil }
    return Finding(
      weight: .remark, summary: "an erasure is open",
      details: [
        "since \(since) (\(Countdown.length(from: since, to: status.now))): "
          + "who was erased may still be read in the store's files"
      ],
      advice: "make room on the disk, and let no other program read the store; it is tried again")
  }

  private var setAside: Finding? {
    guard !status.setAside.isEmpty else { return nil }
    return Finding(
      weight: .remark, summary: "the store of before is still there",
      details: [
        status.setAside.joined(separator: ", "),
        "that holds what was known then, also of who was erased since",
      ],
      advice: "when nobody needs it any more, remove it from the service's state directory")
  }

  private var clock: Finding? {
    guard let hold = status.clockHold else { return nil }
    return Finding(
      weight: .fault, summary: "the clock cannot be right",
      details: [
        "it says \(status.now), but something was recorded at \(hold)",
        waitingText("nothing fires and events are refused"),
      ],
      advice: "set the clock (timedatectl); or, if it is right: chimectl reload")
  }

  private var leap: Finding? {
    guard let leap = status.clockLeap else { return nil }
    return Finding(
      weight: .fault, summary: "the clock has leapt ahead",
      details: [
        "it says \(leap), but by the time that has passed it is \(status.now)",
        waitingText("nothing goes out, and events are taken in"),
      ],
      advice: "set the clock (timedatectl); if it is right, it is believed after some minutes, or "
        + "at once: chimectl reload")
  }

  private func waitingText(_ text: String) -> String {
    let count = status.due
    return count == 0
      ? text : "\(text); \(StatusReport.grouped(count)) due \(count == 1 ? "waits" : "wait")"
  }

  private func part(_ part: StatusDocument.Part) -> Finding? {
    let (age, limit) = (Self.seconds(part.age), Self.seconds(part.allowance))
    if part.isVital {
      guard part.age > part.allowance / 2 else { return nil }
      return Finding(
        weight: .fault, summary: "\(part.name) makes no progress",
        details: ["for \(age); after \(limit) the service is restarted"],
        advice: "journalctl --unit chimed tells what it was at")
    }
    guard part.age > part.allowance else { return nil }
    return Finding(
      weight: .remark, summary: "\(part.name) takes long to answer",
      details: ["it has been at a batch for \(age)"],
      advice: "see to what it delivers to; nothing else waits for it")
  }

  private static func seconds(_ seconds: Double) -> String {
    Countdown.length(UInt64(max(0, seconds.rounded())))
  }

  private var reload: Finding? {
    guard let failure = status.reloadFailure else { return nil }
    return Finding(
      weight: .fault, summary: "the configuration is not sound, and an earlier one is in force",
      details: failure.split(separator: "\n").map(String.init),
      advice: "mend it, look at it by chimed --check-config, then: chimectl reload")
  }

  private var data: Finding? {
    guard !status.dataWarnings.isEmpty else { return nil }
    return Finding(
      weight: .remark, summary: "what plans go by is old, or ends soon",
      details: status.dataWarnings,
      advice: "update chimed for its holidays, or name a directory of your own as holidays in its "
        + "configuration, or files as days-off; and the package tzdata for time zones")
  }

  private var deadLetters: Finding? {
    let count = status.deadLetters
    guard count > 0 else { return nil }
    let sinks = status.lanes.filter { $0.deadLetters > 0 }
      .map { "\(StatusReport.grouped($0.deadLetters)) of \($0.sink)" }
    return Finding(
      weight: .remark,
      summary: "\(StatusReport.grouped(count)) dead \(count == 1 ? "letter" : "letters")",
      details: sinks.isEmpty ? [] : [sinks.joined(separator: ", ")],
      advice: "chimectl deadletters list tells why; then deadletters resend or discard")
  }

  private var catalogs: Finding? {
    guard status.catalogs.isEmpty else { return nil }
    return Finding(
      weight: .remark, summary: "no catalog is chosen", details: ["nobody is reminded of anything"],
      advice: "name one under catalogs in /etc/chimed/chimed.yaml, then: chimectl reload")
  }

  private var sinks: Finding? {
    guard status.lanes.isEmpty else { return nil }
    return Finding(
      weight: .remark, summary: "there is no sink", details: ["nothing is handed to anybody"],
      advice: "declare sinks and routes in the configuration, and restart the service")
  }

  private var versions: Finding? {
    guard status.version != version else { return nil }
    return Finding(
      weight: .remark, summary: "chimed is \(status.version), chimectl \(version)", details: [],
      advice: "restart the service, if it was updated")
  }
}

// MARK: - Lanes

extension Diagnosis {
  private func lane(_ lane: LaneDocument) -> Finding? {
    if lane.isPaused { return paused(lane) }
    if lane.isDisabled {
      return disabled(
        lane, "takes nothing",
        "what is for it goes on to the next sink of its route, or is a dead letter")
    }
    if lane.isFailing { return failing(lane) }
    if let oldest = lane.oldestWaiting, status.now - oldest > Self.patience {
      return Finding(
        weight: .remark, summary: "\(lane.sink) is behind", details: [queue(of: lane)],
        advice: "it is slow or held to a rate: see its rate, concurrency and deadline")
    }
    guard lane.retrying > 0, let failure = lane.lastFailure else { return nil }
    let next = lane.nextRetry.map { "the next \(Countdown.text(to: $0, from: status.now)); " } ?? ""
    return Finding(
      weight: .remark,
      summary: "\(lane.sink) tries \(StatusReport.grouped(lane.retrying)) again",
      details: [
        next + "last failure \(Countdown.text(to: failure.at, from: status.now)): \(failure.reason)"
      ],
      advice: "journalctl CHIME_SINK=\(lane.sink) tells of each")
  }

  /// Of a sink that is paused enough is said.
  private var analytics: Finding? {
    guard let lane = status.analytics, !lane.isPaused else { return nil }
    let waits = "\(StatusReport.grouped(lane.waiting)) analytics events wait"
    if lane.isDisabled {
      return disabled(lane, "takes no analytics", "what is for it is passed over")
    }
    if lane.isFailing {
      return Finding(
        weight: .fault, summary: "\(lane.sink) takes no analytics",
        details: [lane.failure ?? "it failed", waits],
        advice: "see to what it delivers to; what waits then goes out by itself")
    }
    guard let next = lane.nextRetry, let failure = lane.lastFailure else { return nil }
    return Finding(
      weight: .remark, summary: "\(lane.sink) has not taken an analytics event",
      details: [
        failure.reason, "\(waits); the next try \(Countdown.text(to: next, from: status.now))",
      ], advice: "journalctl CHIME_SINK=\(lane.sink) tells of it")
  }

  private func paused(_ lane: LaneDocument) -> Finding {
    Finding(
      weight: .remark, summary: "\(lane.sink) is paused", details: [queue(of: lane)],
      advice: "to go on: chimectl sinks resume \(lane.sink); what has expired by then is not sent")
  }

  private func failing(_ lane: LaneDocument) -> Finding {
    let since = lane.failingSince.map { since in
      "since \(since) (\(Countdown.length(from: since, to: status.now))): "
    }
    return Finding(
      weight: .fault, summary: "\(lane.sink) takes nothing",
      details: [
        (since ?? "") + (lane.failure ?? "it failed"),
        queue(of: lane) + "; " + nextAttempt(of: lane),
      ],
      advice: "see to what it delivers to; what waits and has not expired then goes out by itself")
  }

  /// A sink that takes nothing is tried with what there is for it.
  private func nextAttempt(of lane: LaneDocument) -> String {
    if lane.inFlight > 0 { return "being tried now" }
    guard let work = lane.waiting > 0 ? status.now : lane.nextRetry else {
      return "it is tried with the next delivery"
    }
    let next = max(work, lane.nextAttempt ?? work)
    guard next > status.now else { return "being tried now" }
    return "tried again \(Countdown.text(to: next, from: status.now))"
  }

  private func disabled(_ lane: LaneDocument, _ loss: String, _ effect: String) -> Finding {
    Finding(
      weight: .fault, summary: "\(lane.sink) \(loss)",
      details: [lane.failure ?? "it is disabled", effect],
      advice: "mend it in the configuration, or take it out there; then: chimectl reload")
  }

  /// "1,200 wait, the oldest for 12 min; 1 is with the sink; 3 are tried again one by one".
  private func queue(of lane: LaneDocument) -> String {
    var waiting = Self.count(lane.waiting, "waits", "wait")
    if let oldest = lane.oldestWaiting {
      waiting += ", the oldest for \(Countdown.length(from: oldest, to: status.now))"
    }
    var parts = [waiting]
    if lane.inFlight > 0 { parts.append(Self.count(lane.inFlight, "is", "are") + " with it") }
    if lane.retrying > 0 {
      parts.append(Self.count(lane.retrying, "is", "are") + " tried again one by one")
    }
    return parts.joined(separator: "; ")
  }

  private static func count(_ count: Int64, _ one: String, _ many: String) -> String {
    "\(StatusReport.grouped(count)) \(count == 1 ? one : many)"
  }
}

/// Something about the service that an operator ought to know of, and what to do about it.
struct Finding: Equatable {
  enum Weight: Equatable {
    /// Something does not work.
    case fault
    /// It works, and wants a look.
    case remark
  }

  let weight: Weight
  /// A few words, such as "webhook takes nothing".
  let summary: String
  /// What else is known of it, a line each.
  let details: [String]
  /// What to do.
  let advice: String
}

extension Finding {
  /// A line for it, then what is known of it and what to do, indented.
  func text(on screen: Screen) -> String {
    let style: Style = weight == .fault ? .bad : .doubtful
    let head = style.mark("! " + summary.printable, on: screen)
    let others = details.map { $0.printable } + ["-> " + advice.printable]
    return ([head] + others.map { "    " + $0 }).map { $0 + "\n" }.joined()
  }
}

extension [Finding] {
  var hasFault: Bool { contains { $0.weight == .fault } }

  /// "healthy", or else what is wrong in one line.
  var headline: String {
    let summaries = map(\.summary).joined(separator: "; ")
    if hasFault { return "not healthy: \(summaries)" }
    return isEmpty ? "healthy" : "healthy, but look at this: \(summaries)"
  }

  var style: Style { hasFault ? .bad : isEmpty ? .good : .doubtful }
}
