import JSON
import Testing

@testable import chimectl

/// `chimectl status`: health, the next occurrences and troubles.
@Suite struct StatusReportTests {
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
      "free": 0, "differences": [], "skew": 0.01, "skewed": false, "trusted": true,
    ]
    let well = Samples.status(["fleet": .object(fleet)])
    #expect(try text(well).contains("fleet       22 of 64 shards, 3 nodes, 1 draining\n"))
    #expect(
      try TopReport(status: StatusDocument(well), rates: nil).text(on: Screen())
        .contains("dead letters 0  fleet 22 of 64 shards"))
    var worse = fleet
    (worse["silent"], worse["free"], worse["trusted"]) = (1, 2, false)
    let report = try text(Samples.status(["fleet": .object(worse)]))
    #expect(
      report.hasPrefix(
        "not healthy: PostgreSQL has not answered in time; 2 of 64 shards have no owner; "
          + "1 node of 3 is away\n"))
  }

  @Test func `only a fault makes the service unhealthy`() throws {
    #expect(try StatusReport(Samples.status()).isHealthy)
    #expect(try StatusReport(Samples.status(["deadLetters": 2])).isHealthy)
    #expect(try !StatusReport(Samples.status(lanes: [Samples.stuck])).isHealthy)
  }

  /// Rule M1: analytics events have a lane beside the sink's deliveries.
  @Test func `failing analytics are shown beside their sink`() throws {
    let away = Samples.lane(
      "jsonl", ["waiting": 1_200, "breaker": "open", "failure": "the disk is full"])
    let report = try text(Samples.status(["analytics": away]))
    #expect(report.hasPrefix("not healthy: jsonl takes no analytics\n"))
    #expect(report.contains("the disk is full\n    1,200 analytics events wait\n"))
    #expect(report.contains("\njsonl             closed"))
    #expect(report.contains("\njsonl: analytics  open"))
    let failure: JSONValue = ["at": .string(Samples.now), "reason": "503"]
    let busy = Samples.lane(
      "jsonl", ["nextRetry": "2026-03-02T02:05:00.000Z", "lastFailure": failure])
    let remark = try StatusReport(Samples.status(["analytics": busy]))
    #expect(remark.isHealthy && remark.text().contains("has not taken an analytics event"))
    let paused = Samples.lane("jsonl", ["paused": true, "waiting": 3])
    #expect(try StatusReport(Samples.status(["analytics": paused])).isHealthy)
  }

  @Test func `troubles come first, with what to do`() throws {
    let status = Samples.status(["deadLetters": 2], lanes: [Samples.lane("jsonl"), Samples.stuck])
    #expect(
      try text(status) == """
        not healthy: webhook takes nothing; 2 dead letters

        ! webhook takes nothing
            since 2026-03-02T01:48:00.000Z (12 min): connection\\u001b refused
            1,200 wait, the oldest for 12 min; 3 are tried again one by one; tried again in 45 s
            -> see to what it delivers to; what waits and has not expired then goes out by itself
        ! 2 dead letters
            -> chimectl deadletters list tells why; then deadletters resend or discard

        running for  2 d 1 h
        next         daily-checkin-reminder for 100,000 recipients in 5 min, at \
        2026-03-02T02:05:00.000Z
        pending      3,000, of 1,234,567 recipients
        catalogs     imanpath, rooms
        time zones   2026f, default UTC

        SINK     BREAKER          WAITING  OLDEST  WITH IT  RETRYING  DEAD  LAST FAILURE
        jsonl    closed           0        -       0        0         0
        webhook  open for 12 min  1,200    12 min  0        3         0     30 s ago: \
        connection\\u001b refused

        """)
  }

  /// Troubles, each with its headline and its details.
  static let troubles: [(members: JSONObject, head: String, detail: String)] = [
    (
      ["storageFailure": "the disk is full", "due": 7], "not healthy: nothing can be written",
      "    the disk is full\n    events are refused; 7 due wait\n    -> make room"
    ),
    (
      [
        "loss": [
          "events": 12, "notifications": 1, "since": "2026-03-02T01:00:00.000Z",
          "until": "2026-03-02T01:30:00.000Z",
        ]
      ],
      "not healthy: 12 events and 1 notification were lost",
      "    the last was acknowledged at 2026-03-02T01:30:00.000Z\n"
        + "    -> let apps report again what happened since 2026-03-02T01:00:00.000Z"
    ),
    (
      ["erasureOpen": "2026-03-02T01:48:00.000Z"],
      "healthy, but look at this: an erasure is open",
      "since 2026-03-02T01:48:00.000Z (12 min): who was erased may still be read"
    ),
    (
      ["setAside": ["damaged-log-7-3", "replaced"]],
      "healthy, but look at this: the store of before is still there",
      "    damaged-log-7-3, replaced\n"
        + "    that holds what was known then, also of who was erased since\n"
        + "    -> when nobody needs it any more, remove it"
    ),
    (
      ["clockHold": "2026-03-03T00:00:00.000Z", "due": 1],
      "not healthy: the clock cannot be right",
      "something was recorded at 2026-03-03T00:00:00.000Z\n"
        + "    nothing fires and events are refused; 1 due waits"
    ),
    (
      ["clockLeap": "2038-01-19T03:14:07.000Z", "due": 1],
      "not healthy: the clock has leapt ahead",
      "it says 2038-01-19T03:14:07.000Z, but by the time that has passed it is"
    ),
    (
      ["reloadFailure": "it was rejected: a.yaml:1:1: bad\nb.yaml:2:2: worse\u{7}"],
      "not healthy: the configuration is not sound, and an earlier one is in force",
      "    it was rejected: a.yaml:1:1: bad\n    b.yaml:2:2: worse\\u0007\n    -> mend it"
    ),
    (
      ["watchdog": [StatusSamples.part("engine", age: 12)]],
      "not healthy: engine makes no progress",
      "for 12 s; after 20 s the service is restarted"
    ),
    (
      ["watchdog": [StatusSamples.part("smtp", age: 95, isVital: false)]],
      "healthy, but look at this: smtp takes long to answer", "it has been at a batch for 1 min"
    ),
    (["deadLetters": 1], "healthy, but look at this: 1 dead letter", "chimectl deadletters list"),
    (["lanes": []], "healthy, but look at this: there is no sink", "declare sinks"),
    (
      ["dataWarnings": ["the holidays of DE are known no further"]],
      "healthy, but look at this: what plans go by is old", "of your own as holidays in its config"
    ),
    (["version": "0.0.1"], "healthy, but look at this: chimed is 0.0.1, chimectl", "restart"),
    (
      [
        "lanes": [
          StatusSamples.lane(
            "mail", ["waiting": 9, "inFlight": 1, "oldestWaiting": "2026-03-02T01:55:00.000Z"])
        ]
      ], "healthy, but look at this: mail is behind", "9 wait, the oldest for 5 min; 1 is with it"
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
      ], "healthy, but look at this: mail tries 2 again",
      "the next in 4 min; last failure 1 min ago: 503"
    ),
    (
      ["lanes": [StatusSamples.lane("mail", ["paused": true, "breaker": "open", "waiting": 2])]],
      "healthy, but look at this: mail is paused", "2 wait\n    -> to go on: chimectl sinks resume"
    ),
    (
      ["lanes": [StatusSamples.lane("mail", ["breaker": "half_open", "waiting": 1])]],
      "not healthy: mail takes nothing", "it failed\n    1 waits; being tried now"
    ),
    (
      ["lanes": [StatusSamples.lane("mail", ["breaker": "half_open", "inFlight": 1])]],
      "not healthy: mail takes nothing", "0 wait; 1 is with it; being tried now"
    ),
    (
      [
        "lanes": [
          StatusSamples.lane(
            "mail", ["breaker": "open", "nextAttempt": "2026-03-02T01:59:00.000Z"])
        ]
      ],
      "not healthy: mail takes nothing", "0 wait; it is tried with the next delivery"
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
      "not healthy: mail takes nothing", "1 is tried again one by one; tried again in 4 min"
    ),
    (
      ["lanes": [StatusSamples.lane("hook", ["failure": "disabled: 410: it is gone for good"])]],
      "not healthy: hook takes nothing",
      "    disabled: 410: it is gone for good\n    what is for it goes on to the next sink"
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
  static let calm: [JSONObject] = [
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

  @Test(arguments: calm)
  func `a busy service is healthy`(members: JSONObject) throws {
    #expect(try text(Samples.status(members)).hasPrefix("healthy, running for"))
  }

  @Test func `other counters are printed when they are not zero`() throws {
    let lane = Samples.lane("jsonl", ["answers": Samples.answers(orphaned: 12, setAside: 1)])
    let text = try text(
      Samples.status(["next": [], "due": 1, "replanning": 2], lanes: [lane]), showsLanes: true)
    for line in [
      "next        nothing", "due now     1 recipient", "replanning  2 recipients",
      "orphans     12 of jsonl, handed over again at the start",
      "set aside   1 of jsonl, for the service died of them; see the dead letters",
      "jsonl  closed   0        -       0        0         0",
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
    #expect(analytics.hasPrefix("not healthy: hook takes no analytics\n"))
  }

  @Test func `a terminal shows colours and cuts the table`() throws {
    let report = try StatusReport(Samples.status(lanes: [Samples.stuck]))
    let text = report.text(on: Screen(width: 90, hasColour: true))
    #expect(text.hasPrefix("\u{1b}[31mnot healthy: webhook takes nothing\u{1b}[0m\n"))
    #expect(text.contains("\u{1b}[31mopen for 12 min\u{1b}[0m"))
    let table = text.split(separator: "\n").suffix(2)
    for line in table {
      #expect(String(line.replacing(/\u{1b}\[\d+m/, with: "")).columns <= 90)
    }
    #expect(!report.text(on: .paper).contains("\u{1b}"))
  }

  @Test(arguments: ["now", "lanes", "lateness", "events"])
  func `a status without a required member is a failure`(name: String) throws {
    let failure = #expect(throws: Failure.self) {
      try StatusReport(Samples.status([name: nil]))
    }
    #expect(failure?.code == .protocolError)
  }
}
