import JSON
import Testing

@testable import chimectl

/// `chimectl status`: health, the next occurrences and troubles.
@Suite struct StatusReportTests {
  /// The advice for a sink that could not be created.
  private static let advice =
    "\n    -> correct the cause shown above, then: chimectl reload\n"

  private typealias Samples = StatusSamples

  private func text(_ status: JSONValue, showsLanes: Bool = false) throws -> String {
    try StatusReport(status, showsLanes: showsLanes).text()
  }

  @Test func `a healthy status is short`() throws {
    #expect(
      try text(Samples.status()) == """
        healthy, running for 2 d 1 h
        next        daily-checkin-reminder for 100,000 recipients in 5 min, at \
        2026-03-02T02:05:00.000Z
        pending     3,000, of 1,234,567 recipients
        sinks       jsonl
        catalogs    imanpath, rooms
        time zones  2026f, default UTC

        """)
  }

  @Test func `a fleet is one line, and its troubles are printed`() throws {
    let fleet: JSONObject = [
      "node": "1a", "nodes": 3, "silent": 0, "gone": 0, "draining": 1, "shards": 64, "own": 22,
      "free": 0, "takers": 2, "differences": [], "skew": 0.01, "skewed": false,
      "trusted": true, "differingLeases": [], "skewedNodes": [], "sharedNames": [],
    ]
    let status = Samples.status(["fleet": .object(fleet)])
    #expect(try text(status).contains("fleet       22 of 64 shards, 3 nodes, 1 draining\n"))
    #expect(
      try TopReport(status: StatusDocument(status), rates: nil).text(on: Screen())
        .contains("dead letters 0  fleet 22 of 64 shards"))
    var faultyFleet = fleet
    (faultyFleet["silent"], faultyFleet["free"], faultyFleet["trusted"]) = (1, 2, false)
    let report = try text(Samples.status(["fleet": .object(faultyFleet)]))
    #expect(
      report.hasPrefix(
        "not healthy: PostgreSQL has not answered in time; 1 node of 3 is away; 2 of 64 shards "))
  }

  @Test func `F6: other nodes that need attention are named`() throws {
    let fleet: JSONObject = [
      "node": "1a", "nodes": 3, "silent": 0, "gone": 0, "draining": 0, "shards": 64, "own": 22,
      "free": 0, "takers": 2, "differences": [], "skew": 0.01, "skewed": false,
      "trusted": true, "differingLeases": ["west"], "skewedNodes": ["south"],
      "sharedNames": ["east"],
    ]
    let report = try text(Samples.status(["fleet": .object(fleet)]))
    #expect(
      report.hasPrefix(
        "healthy, but needs attention: west: the lease differs; south: the clock is wrong by 2 s "
          + "or more; east: several nodes have this name"))
    #expect(report.contains("\n    -> give each node its own name, by fleet: {name: ...}\n"))
  }

  @Test func `F8: shards that move between nodes are no fault`() throws {
    var fleet: JSONObject = [
      "node": "1a", "nodes": 3, "silent": 0, "gone": 0, "draining": 1, "shards": 64, "own": 22,
      "free": 2, "takers": 2, "differences": [], "skew": 0.01, "skewed": false,
      "trusted": true, "differingLeases": [], "skewedNodes": [], "sharedNames": [],
    ]
    #expect(try StatusReport(Samples.status(["fleet": .object(fleet)])).isHealthy)
    // No node can own the free shards: two are draining, and the third has a wrong clock.
    (fleet["draining"], fleet["takers"]) = (2, 0)
    #expect(try !StatusReport(Samples.status(["fleet": .object(fleet)])).isHealthy)
  }

  /// Only a reload tries again to create an unavailable sink.
  @Test func `S9: a reload is advised for an unavailable sink`() throws {
    let members: JSONObject = [
      "breaker": "open", "unavailable": true, "failure": "its secret is missing", "waiting": 2,
    ]
    let lane = Samples.lane("webhook", members)
    for status in [Samples.status(lanes: [lane]), Samples.status(["analytics": lane])] {
      let report = try text(status)
      #expect(report.hasPrefix("not healthy: webhook "))
      #expect(report.contains(Self.advice))
      #expect(!report.contains("by themselves") && !report.contains("is tried"))
    }
  }

  @Test func `S9: a remark about a sink with former settings names the command that tries again`()
    throws
  {
    let sentence = "the sink hook continues with its former settings: the secret is empty"
    let report = try text(Samples.status(["outdatedSinks": [.string(sentence)]]))
    #expect(
      report.hasPrefix("healthy, but needs attention: 1 sink continues with former settings\n"))
    #expect(report.contains("\n    \(sentence)\(Self.advice)"))
  }

  @Test func `L7: the status names the latest audit, and its differences`() throws {
    func report(_ differences: Int64) throws -> String {
      try text(
        Samples.status([
          "audit": [
            "until": "2026-03-02T01:00:00.000Z", "audited": 12, "occurrences": 40,
            "differences": .integer(differences), "excused": 3,
          ]
        ]))
    }
    let words = "excused, until 2026-03-02T01:00:00.000Z"
    let same = try report(0)
    #expect(same.hasPrefix("healthy, running"))
    #expect(same.contains("12 recipients, no differences, 3 \(words)"), "\(same)")
    let different = try report(2)
    #expect(
      different.hasPrefix("healthy, but needs attention: the audit found differences\n"),
      "\(different)")
    #expect(different.contains("12 recipients, 2 with differences, 3 \(words)"), "\(different)")
    #expect(different.contains("chimectl replay --since 2d"))
  }

  @Test func `only a fault makes the service unhealthy`() throws {
    #expect(try StatusReport(Samples.status()).isHealthy)
    #expect(try StatusReport(Samples.status(["deadLetters": 2])).isHealthy)
    #expect(try !StatusReport(Samples.status(lanes: [Samples.stuck])).isHealthy)
  }

  /// Rule M1: analytics events have a lane beside the sink's deliveries.
  @Test func `failing analytics are shown beside their sink`() throws {
    let failing = Samples.lane(
      "jsonl", ["waiting": 1_200, "breaker": "open", "failure": "the disk is full"])
    let report = try text(Samples.status(["analytics": failing]))
    #expect(report.hasPrefix("not healthy: jsonl accepts no analytics\n"))
    #expect(report.contains("the disk is full\n    1,200 analytics events wait\n"))
    #expect(report.contains("\njsonl             closed"))
    #expect(report.contains("\njsonl: analytics  open"))
    let failure: JSONValue = ["at": .string(Samples.now), "reason": "503"]
    let retrying = Samples.lane(
      "jsonl", ["nextRetry": "2026-03-02T02:05:00.000Z", "lastFailure": failure])
    let remark = try StatusReport(Samples.status(["analytics": retrying]))
    #expect(remark.isHealthy && remark.text().contains("has not accepted an analytics event"))
    let paused = Samples.lane("jsonl", ["paused": true, "waiting": 3])
    #expect(try StatusReport(Samples.status(["analytics": paused])).isHealthy)
  }

  @Test func `a nearly full disk is reported with what to do`() throws {
    let report = try text(Samples.status(["diskUse": 0.96]))
    #expect(report.hasPrefix("healthy, but needs attention: the disk of the store is 96 % full\n"))
    #expect(
      report.contains(
        "\n    -> free space on the disk of the state directory, or shorten retention\n"))
    #expect(try text(Samples.status(["diskUse": 0.94])).hasPrefix("healthy, running"))
    // A full disk is reported as a separate trouble.
    let full = try text(Samples.status(["diskUse": 1.0, "storageFailure": "the disk is full"]))
    #expect(full.hasPrefix("not healthy: nothing can be written\n"))
  }

  @Test func `troubles come first, with what to do`() throws {
    let status = Samples.status(["deadLetters": 2], lanes: [Samples.lane("jsonl"), Samples.stuck])
    #expect(
      try text(status) == """
        not healthy: webhook is down; 2 dead letters

        ! webhook is down
            since 2026-03-02T01:48:00.000Z (12 min): connection\\u001b refused
            1,200 wait, the oldest for 12 min; 3 are retried one by one; the next attempt in 45 s
            -> check its destination; unexpired deliveries are then sent automatically
        ! 2 dead letters
            -> see chimectl deadletters list; then chimectl deadletters resend or discard

        running for  2 d 1 h
        next         daily-checkin-reminder for 100,000 recipients in 5 min, at \
        2026-03-02T02:05:00.000Z
        pending      3,000, of 1,234,567 recipients
        catalogs     imanpath, rooms
        time zones   2026f, default UTC

        SINK     BREAKER          WAITING  OLDEST  IN FLIGHT  RETRYING  DEAD  LAST FAILURE
        jsonl    closed           0        -       0          0         0
        webhook  open for 12 min  1,200    12 min  0          3         0     30 s ago: \
        connection\\u001b refused

        """)
  }

  /// Troubles, each with its headline and its details.
  static let troubles: [(members: JSONObject, head: String, detail: String)] = [
    (
      ["storageFailure": "the disk is full", "due": 7], "not healthy: nothing can be written",
      "    the disk is full\n    events are rejected; 7 recipients are due\n    -> free space"
    ),
    (
      [
        "loss": [
          "events": 12, "notifications": 1, "since": "2026-03-02T01:00:00.000Z",
          "until": "2026-03-02T01:30:00.000Z",
        ]
      ],
      "not healthy: 12 events and 1 notification were lost",
      "    the last lost event was acknowledged at 2026-03-02T01:30:00.000Z\n"
        + "    -> let apps report all events since 2026-03-02T01:00:00.000Z again"
    ),
    (
      ["erasureOpen": "2026-03-02T01:48:00.000Z"],
      "healthy, but needs attention: an erasure is not finished",
      "since 2026-03-02T01:48:00.000Z (12 min): data of erased recipients may still be in"
    ),
    (
      ["setAside": ["damaged-log-7-3", "replaced"]],
      "healthy, but needs attention: files of a replaced store remain",
      "    damaged-log-7-3, replaced\n"
        + "    they contain old data, including that of recipients erased since the replacement\n"
        + "    -> when they are no longer needed, delete them"
    ),
    (
      ["clockHold": "2026-03-03T00:00:00.000Z", "due": 1],
      "not healthy: the clock is wrong",
      "the newest record is from 2026-03-03T00:00:00.000Z\n"
        + "    nothing fires and events are rejected; 1 recipient is due"
    ),
    (
      ["clockLeap": "2038-01-19T03:14:07.000Z", "due": 1],
      "not healthy: the clock has leapt ahead",
      "it shows 2038-01-19T03:14:07.000Z, but by the elapsed time it is"
    ),
    (
      ["reloadFailure": "it was rejected: a.yaml:1:1: bad\nb.yaml:2:2: worse\u{7}"],
      "not healthy: the configuration is invalid, and an earlier one is used",
      "    it was rejected: a.yaml:1:1: bad\n    b.yaml:2:2: worse\\u0007\n    -> correct it"
    ),
    (
      ["watchdog": [StatusSamples.part("engine", age: 14)]],
      "not healthy: engine makes no progress",
      "for 14 s; after 20 s the service is restarted"
    ),
    (
      ["watchdog": [StatusSamples.part("smtp", age: 95, isVital: false)]],
      "healthy, but needs attention: smtp takes long to answer",
      "it has not answered a batch for 1 min"
    ),
    (
      ["deadLetters": 1], "healthy, but needs attention: 1 dead letter", "chimectl deadletters list"
    ),
    (
      ["deadLetters": 10_000], "healthy, but needs attention: 10,000+ dead letters",
      "chimectl deadletters list"
    ),
    (
      ["endingTokens": [StatusSamples.token("2026-03-09T02:00:00.000Z", isExpired: false)]],
      "healthy, but needs attention: the token backend expires soon",
      "    a2, in 7 d, at 2026-03-09T02:00:00.000Z; apps that use it are rejected from then on\n"
        + "    -> chimectl token create backend --scope admin, give it to the app, then chimectl "
        + "token revoke a2\n"
    ),
    (
      ["endingTokens": [StatusSamples.token("2026-03-01T02:00:00.000Z", isExpired: true)]],
      "healthy, but needs attention: the token backend has expired",
      "    a2, 1 d ago, at 2026-03-01T02:00:00.000Z; apps that use it are rejected\n"
    ),
    (["lanes": []], "healthy, but needs attention: no sink is configured", "add sinks"),
    (
      ["dataWarnings": ["the holidays of DE are known no further"]],
      "healthy, but needs attention: the data of holidays or time zones is outdated",
      "set holidays or days-off in its config"
    ),
    (["version": "0.0.1"], "healthy, but needs attention: chimed is 0.0.1, chimectl", "restart"),
    (
      [
        "lanes": [
          StatusSamples.lane(
            "mail", ["waiting": 9, "inFlight": 1, "oldestWaiting": "2026-03-02T01:55:00.000Z"])
        ]
      ], "healthy, but needs attention: mail is behind",
      "9 wait, the oldest for 5 min; 1 is in flight"
    ),
    (
      [
        "lanes": [
          StatusSamples.lane(
            "mail",
            [
              "retrying": 2, "nextRetry": "2026-03-02T02:04:00.000Z",
              "lastFailure": ["at": "2026-03-02T01:59:00.000Z", "reason": "503"],
            ])
        ]
      ], "healthy, but needs attention: mail retries 2 deliveries",
      "the next in 4 min; last failure 1 min ago: 503"
    ),
    (
      ["lanes": [StatusSamples.lane("mail", ["paused": true, "breaker": "open", "waiting": 2])]],
      "healthy, but needs attention: mail is paused",
      "2 wait\n    -> to resume it: chimectl sinks resume"
    ),
    (
      ["lanes": [StatusSamples.lane("mail", ["breaker": "half_open", "waiting": 1])]],
      "not healthy: mail is down", "it failed\n    1 waits; a delivery is tried now"
    ),
    (
      ["lanes": [StatusSamples.lane("mail", ["breaker": "half_open", "inFlight": 1])]],
      "not healthy: mail is down", "0 wait; 1 is in flight; a delivery is tried now"
    ),
    (
      [
        "lanes": [
          StatusSamples.lane(
            "mail", ["breaker": "open", "nextAttempt": "2026-03-02T01:59:00.000Z"])
        ]
      ],
      "not healthy: mail is down", "0 wait; the sink is tried again with the next delivery"
    ),
    (
      [
        "lanes": [
          StatusSamples.lane(
            "mail",
            [
              "breaker": "half_open", "retrying": 1, "nextRetry": "2026-03-02T02:04:00.000Z",
            ])
        ]
      ],
      "not healthy: mail is down", "1 is retried one by one; the next attempt in 4 min"
    ),
    (
      ["lanes": [StatusSamples.lane("hook", ["failure": "disabled: 410: it is gone for good"])]],
      "not healthy: hook is disabled",
      "    disabled: 410: it is gone for good\n    its deliveries use the next sink"
    ),
  ]

  @Test(arguments: troubles)
  func `each trouble is printed with what to do`(
    members: JSONObject, head: String, detail: String
  ) throws {
    let text = try text(Samples.status(members))
    #expect(text.hasPrefix(head))
    #expect(text.contains(detail), "\(text)")
    #expect(text.contains("    -> "))
  }

  /// States that are no trouble.
  static let healthyStates: [JSONObject] = [
    ["watchdog": [StatusSamples.part("engine", age: 10)]],
    ["watchdog": [StatusSamples.part("smtp", age: 15, isVital: false)]],
    [
      "lanes": [
        StatusSamples.lane("mail", ["waiting": 9, "oldestWaiting": "2026-03-02T01:59:00.000Z"])
      ]
    ],
    // A gate holds the retry; no delivery has failed.
    ["lanes": [StatusSamples.lane("mail", ["retrying": 2])]],
    ["due": 3, "replanning": 4],
  ]

  @Test func `S8: an incomplete count of recipients is printed as a minimum`() throws {
    let next: JSONValue = [
      "reminder": "lesson", "recipients": 8, "more": true, "at": "2026-03-02T02:05:00.000Z",
    ]
    let text = try text(Samples.status(["next": [next]]))
    #expect(text.contains("lesson for at least 8 recipients in 5 min"))
  }

  @Test(arguments: healthyStates)
  func `a busy service is healthy`(members: JSONObject) throws {
    #expect(try text(Samples.status(members)).hasPrefix("healthy, running for"))
  }

  @Test func `other counters are printed when they are not zero`() throws {
    let lane = Samples.lane("jsonl", ["answers": Samples.answers(orphaned: 12, setAside: 1)])
    let text = try text(
      Samples.status(["next": [], "due": 1, "replanning": 2], lanes: [lane]), showsLanes: true)
    for line in [
      "next         nothing", "due now      1 recipient", "replanning   2 recipients",
      "orphans      12 of jsonl, dispatched again at the start",
      "quarantined  1 of jsonl, after repeated crashes; see the dead letters",
      "jsonl  closed   0        -       0          0         0",
    ] {
      #expect(text.contains("\n\(line)\n"), "\(text)")
    }
  }

  @Test func `a disabled sink is not shown as a closed breaker`() throws {
    let lane = Samples.lane("hook", ["failure": "disabled: 410: it is gone for good"])
    let report = try StatusReport(Samples.status(lanes: [lane]))
    #expect(!report.isHealthy)
    let terminal = report.text(on: Screen(width: 90, hasColour: true))
    #expect(terminal.contains("\u{1b}[31mdisabled\u{1b}[0m"))
    let analytics = try text(Samples.status(["analytics": lane]))
    #expect(analytics.hasPrefix("not healthy: hook accepts no analytics\n"))
  }

  @Test func `a terminal shows colours and cuts the table`() throws {
    let report = try StatusReport(Samples.status(lanes: [Samples.stuck]))
    let text = report.text(on: Screen(width: 90, hasColour: true))
    #expect(text.hasPrefix("\u{1b}[31mnot healthy: webhook is down\u{1b}[0m\n"))
    #expect(text.contains("\u{1b}[31mopen for 12 min\u{1b}[0m"))
    let table = text.split(separator: "\n").suffix(2)
    for line in table {
      #expect(String(line.replacing(/\u{1b}\[\d+m/, with: "")).columns <= 90)
    }
    #expect(!report.text(on: .paper).contains("\u{1b}"))
  }

  @Test(arguments: ["now", "lanes", "lateness", "events"])
  func `a status without a required member is a failure`(name: String) throws {
    let failure = #expect(throws: CommandError.self) {
      try StatusReport(Samples.status([name: nil]))
    }
    #expect(failure?.code == .protocolError)
  }
}
