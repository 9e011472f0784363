import Access
import CivilTime
import Outbox
import Reminders
import Store

@testable import Engine

extension Fixtures {
  /// Metrics of every kind, with names that need escapes.
  static var metrics: ServiceMetrics {
    var counters = EngineCounters()
    counters.accepted = 7
    counters.duplicates = 1
    counters.count(lateness: 0.004)
    counters.count(lateness: 100_000)
    var commits = Histogram(bounds: [0.001, 0.5])
    commits.observe(0.25)
    var answers = LaneCounters()
    answers.delivered = 5
    answers.outages = 2
    return ServiceMetrics(
      now: now, started: now - .hours(2), recipients: 3, pending: 5, due: 0, stale: 1, streams: 6,
      clockLead: .hours(2), clockLag: .minutes(1), isReloadRejected: true,
      tokenExpiry: now + .days(3), isStorageFailing: true, diskUse: 0.96, counters: counters,
      occurrences: [.init(reminder: "daily-checkin-reminder", outcome: .delivered, count: 4)],
      retentionAge: .hours(5), usage: UsageTable(usage), commits: commits,
      lanes: [
        .init(
          sink: "journal", waiting: 0, retrying: 0, deadLetters: 0, oldest: .zero,
          isFailing: false, answers: answers),
        .init(
          sink: "a \"b\" \\ c\nd", waiting: 4, retrying: 1, deadLetters: 2,
          oldest: .milliseconds(1_500), oldestInQueue: .milliseconds(500), isFailing: true,
          answers: LaneCounters()),
      ],
      analytics: [
        .init(
          sink: "journal", waiting: 3, retrying: 0, deadLetters: 0, oldest: .milliseconds(2_500),
          isFailing: true, answers: answers),
        .init(
          sink: "hook", waiting: 7, retrying: 0, deadLetters: 0, oldest: .zero, isFailing: false,
          answers: LaneCounters()),
      ],
      parts: [.init(name: "engine", secondsWithoutProgress: 0.25)],
      audit: audit, spans: SpanCounts(exported: 9, dropped: 1),
      catalogs: ["test"], zoneDatabase: "2026f",
      zoneGeneration: 1, zonesReleased: now - .days(40), holidaysEnd: now + .days(300),
      fleet: fleet)
  }

  static let audit = AuditSummary(
    until: now - .hours(1), recipients: 12, occurrences: 40, differences: 2, excused: 3)

  /// Three nodes, of which one is draining and one is silent, and a former node.
  static var fleet: FleetOverview {
    let north = StoredFleet.Node(
      incarnation: 0x1a, name: "north", address: "10.0.0.5:7443", version: "0.1.0",
      heartbeat: now - .milliseconds(400), skew: .milliseconds(-300), lease: .seconds(5))
    var south = StoredFleet.Node(
      incarnation: 0x2b, name: "south", version: "0.1.0", heartbeat: now - .milliseconds(900),
      skew: .milliseconds(2_500), lease: .seconds(5))
    south.isDraining = true
    let west = StoredFleet.Node(
      incarnation: 0x3c, name: "west", version: "0.1.0", heartbeat: now - .seconds(6),
      lease: .seconds(8))
    let former = StoredFleet.Node(
      incarnation: 0x4d, name: "west", version: "0.1.0", heartbeat: now - .hours(1),
      isFenced: true, isConnected: false)
    let owners: [Int64?] = [0x1a, 0x1a, 0x2b, nil]
    var fleet = FleetOverview(
      stored: StoredFleet(
        now: now, ownIncarnation: 0x1a, nodes: [north, south, west, former],
        shards: owners.enumerated().map { shard, owner in
          // The owner of the third shard has an older tz database.
          StoredFleet.Shard(
            shard: shard, epoch: 3, owner: owner, plan: shard == 2 ? "2025b UTC f" : "2026f UTC f")
        },
        drained: ["east", "south"]))
    fleet.status = FleetStatus(
      skew: .milliseconds(-300),
      evictions: [.init(reason: "gone", count: 2), .init(reason: "silent", count: 0)])
    return fleet
  }

  /// A lane whose sink is in an outage.
  static var stuckLane: ServiceStatus.Lane {
    var lane = ServiceStatus.Lane(
      sink: "webhook", waiting: 4, retrying: 1, failure: "connection refused", inFlight: 1,
      deadLetters: 2, oldestWaiting: now - .minutes(3), oldestRetry: now - .hours(1),
      nextRetry: now + .minutes(5), breaker: .halfOpen, failingSince: now - .minutes(2),
      nextAttempt: now + .seconds(30),
      lastFailure: .init(at: now - .seconds(1), reason: "connection refused"))
    lane.type = "webhook"
    (lane.delivered, lane.failed) = ([0, 2], [1, 0])
    lane.answers.delivered = 5
    lane.answers.outages = 2
    lane.answers.orphaned = 3
    lane.answers.quarantined = 1
    return lane
  }

  /// The lane of a sink "hook" that could not be created.
  static func unavailableLane(reason: String) -> ServiceStatus.Lane {
    ServiceStatus.Lane(
      sink: "hook", type: "webhook", waiting: 0, retrying: 0, failure: reason,
      isUnavailable: true, breaker: .open)
  }

  /// An app's token that expires in a week.
  static var endingToken: EndingToken? {
    EndingToken(
      TokenRecord(
        identifier: "a2", name: "backend", scope: .administrator, digest: [],
        created: now - .days(23), expiry: now + .days(7)))
  }

  /// Analytics events of two changes of preferences.
  static var analytics: [AnalyticsRecord] {
    let rows: [(Int64, String, String)] = [
      (3, "dnd_enabled", #"{"end_time":"08:00","start_time":"21:00"}"#),
      (7, "push_permission_status", #"{"granted":true}"#),
    ]
    return rows.map { number, name, parameters in
      let event = AnalyticsEvent(time: now, name: name, parameters: Array(parameters.utf8))
      return AnalyticsRecord(number: number, recipient: "u1", event: event)
    }
  }

  /// Usage counts of 2026-03-01 and 02.
  static var usage: [UsageKey: Int] {
    let hour = { (day: Int, hour: Int) in
      LocalHour(date: LocalDate(daysSinceEpoch: 20_513 + day), hour: hour)
    }
    let key = { (measure: UsageMeasure, hour: LocalHour, reason: Gate?) in
      UsageKey(measure, at: hour, category: "CHECKIN", channel: .push, reason: reason)
    }
    return [
      key(.planned, hour(0, 21), nil): 3, key(.planned, hour(1, 21), nil): 4,
      key(.sent, hour(1, 21), nil): 3, key(.delivered, hour(1, 21), nil): 2,
      key(.failed, hour(1, 21), nil): 1, key(.dropped, hour(1, 21), .quietHours): 1,
      key(.dropped, hour(1, 21), .expiry): 2, key(.switchedOff, hour(1, 7), nil): 1,
      UsageKey(.preset, at: hour(1, 7), category: "minimal", channel: nil): 2,
    ]
  }

  static func pastEvent(_ identifier: String) -> PastEvent {
    PastEvent(
      identifier: identifier, source: "test", type: "lesson.completed", time: now - .hours(1),
      received: now, data: Array(#"{"day":3}"#.utf8))
  }

  static let pastNotification = RecordedNotification(
    identifier: "i-7", planned: now, at: now + .hours(1), expiry: now + .hours(12),
    outcome: .delivered, channels: [.init(.push)], isSilent: false,
    trace: GateTrace(rawValue: 0b01_01_10_01),
    message: Message(
      reminder: "note", category: "NOTE", title: "Note", body: "A note.", details: #"{"a":1}"#),
    retries: [
      .init(sink: "webhook", channel: .push, attempts: 2, due: nil, reason: "gone")
    ])
}
