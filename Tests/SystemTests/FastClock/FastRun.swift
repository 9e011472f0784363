import CivilTime
import Glibc
import JSON

/// The delivered lines of a scenario.
struct FastRun {
  /// All parts of a line except its instant.
  struct LineContent: Hashable, Comparable, CustomStringConvertible {
    let description: String

    init(_ line: JSONValue) {
      let fields = ["recipient", "reminder", "channel", "planned", "title", "body", "silent"]
      let parts = fields.compactMap { line[$0].map { "\($0)" } }
      let members = line["digest"]?.arrayValue?.compactMap(\.stringValue).sorted() ?? []
      description = (parts + members).joined(separator: " ")
    }

    static func < (one: LineContent, other: LineContent) -> Bool {
      one.description < other.description
    }
  }

  /// The highest lateness that rule T8 does not count as late.
  static let toleratedLateness = TimeSpan.minutes(1)

  /// The instants of each line, in order.
  private(set) var instants: [LineContent: [Instant]] = [:]
  /// The instants at which something happens in a simulation: events, deliveries and drops.
  private(set) var busyInstants: Set<Instant> = []
  /// The highest lateness of a reported event.
  private(set) var lateness = TimeSpan.zero
  /// The number of times that a due recipient was processed more than a minute late.
  private(set) var lateFirings = 0

  /// Whether the run was fast enough for its result to be judged.
  var isPunctual: Bool { lateness <= Self.toleratedLateness && lateFirings == 0 }

  var count: Int { instants.values.reduce(0) { $0 + $1.count } }

  private mutating func add(_ lines: [JSONValue], before end: Instant) {
    for line in lines {
      guard let at = line["at"]?.stringValue.flatMap({ Instant($0) }), at < end else { continue }
      instants[LineContent(line), default: []].append(at)
    }
    for content in instants.keys { instants[content]?.sort() }
  }

  /// Runs `chimed simulate`.
  init(simulating scenario: FastScenario, in workspace: Workspace) throws {
    let groups = try scenario.groups()
    guard let first = groups.first?.time else { throw Failure("\(scenario.name) is empty") }
    let end = try scenario.end(after: first)
    let file = workspace.path + "/events.ndjson"
    try Files.write(groups.flatMap(\.events).map { "\($0)\n" }.joined(), to: file)
    let child = try ChildProcess(
      Project.chimed,
      [
        "simulate", "--catalog", scenario.catalog, "--default-zone", "UTC", "--until", "\(end)",
        file,
      ],
      environment: ["CHIMED_CATALOGS": Project.catalogs])
    guard try child.finish() == .exited(0) else { throw Failure("simulate failed") }
    let lines = try child.output.takeLines().map { try JSONParser.parse(Array($0)) }
    add(lines.filter { $0["outcome"] == "delivered" }, before: end)
    let outcomes = lines.compactMap { $0["at"]?.stringValue.flatMap { Instant($0) } }
    busyInstants = Set(groups.map(\.time) + outcomes)
  }

  /// Returns whether all refused events of a batch contradict earlier ones; false if none is
  /// refused.
  private static func isContradiction(_ body: JSONValue) -> Bool {
    let problems = (body["items"]?.arrayValue ?? []).compactMap { $0["problem"]?["type"] }
    return !problems.isEmpty && problems.allSatisfy { $0 == "urn:chimed:problem:conflicting-event" }
  }

  /// Runs the service, and reports each event at its time.
  ///
  /// - Parameter slowInstants: the instants near which the clock is slow.
  init(of scenario: FastScenario, at pace: FastPace, slowNear slowInstants: Set<Instant>) throws {
    let (workspace, groups) = (try Workspace(), try scenario.groups())
    guard let first = groups.first?.time else { throw Failure("\(scenario.name) is empty") }
    let end = try scenario.end(after: first)
    let clock = try FastClock(in: workspace, at: first - .minutes(30))
    let service = try Self.service(scenario.catalog, clock, workspace)
    let (start, last) = (first - .seconds(10), end + .minutes(2))
    try clock.go(
      from: start,
      through: pace.stretches(from: start, through: last, near: slowInstants.filter { $0 < end }))
    for group in groups {
      try Self.wait(until: clock.realTime(of: group.time), service)
      let body = Report.batch(group.events.map { "\($0)" })
      let reply = try service.ask("POST", "/v1/events", body)
      // Like the simulation, the service refuses an event that contradicts an earlier one.
      guard reply.status == 200 || Self.isContradiction(reply.body) else {
        throw Failure("the events of \(group.time) were answered \(reply)")
      }
      lateness = max(lateness, clock.now - group.time)
    }
    try Self.wait(until: clock.realTime(of: last), service)
    lateFirings = try Self.lateFirings(service)
    guard try service.stop() == .exited(0) else { throw Failure(service.log) }
    let written = String(decoding: try Files.read(workspace.deliveries), as: UTF8.self)
    let lines = try written.split(separator: "\n").map { try JSONParser.parse(Array($0.utf8)) }
    add(lines, before: end)
  }

  private static func service(
    _ catalog: String, _ clock: FastClock, _ workspace: Workspace
  ) throws -> Service {
    let file = workspace.path + "/chimed.yaml"
    try Files.write(
      """
      catalogs: ["\(catalog)"]
      default-zone: UTC
      state-directory: \(workspace.state)
      # The clock runs ahead of real time on purpose, so it is trusted at once.
      clock: {trust-after: 0s}
      sinks: {lines: {type: jsonl, file: \(workspace.deliveries)}}
      """, to: file)
    let service = try Service(
      workspace, arguments: ["serve", "--config", file, "--socket", workspace.socket],
      environment: clock.environment)
    try service.waitUntilReady()
    return service
  }

  /// Waits in real time, and reads the service's log meanwhile.
  private static func wait(until end: Instant, _ service: Service) throws {
    while Report.now < end {
      let inlets = [service.process.output, service.process.errors].filter { !$0.isAtEnd }
      var requests = inlets.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
      let wait = Int32(clamping: min(60_000, (end - Report.now).milliseconds))
      if poll(&requests, nfds_t(requests.count), max(0, wait)) > 0 { try service.readOutput() }
      guard !service.hasEnded else { throw Failure("the service has ended:\n\(service.log)") }
    }
  }

  /// The number of times that the service processed a due recipient more than a minute late.
  private static func lateFirings(_ service: Service) throws -> Int {
    let metrics = try service.metrics { _ in true }
    let name = "chimed_lateness_seconds_"
    return (metrics[name + "count"] ?? 0) - (metrics[name + "bucket{le=\"60.0\"}"] ?? 0)
  }
}

extension FastRun {
  /// Returns the lines in which the service differs from the simulation, and how far it was behind
  /// the simulation at most.
  func differences(from simulated: FastRun) -> (lines: [String], lag: TimeSpan) {
    var (lines, lag) = ([String](), TimeSpan.zero)
    for content in Set(instants.keys).union(simulated.instants.keys).sorted() {
      let (live, expected) = (instants[content] ?? [], simulated.instants[content] ?? [])
      for (at, due) in zip(live, expected) { lag = max(lag, at - due) }
      let isSame =
        live.count == expected.count
        && zip(live, expected).allSatisfy {
          (TimeSpan.zero...Self.toleratedLateness).contains($0 - $1)
        }
      if !isSame { lines.append("\(content): sent at \(live), simulated at \(expected)") }
    }
    return (lines, lag)
  }
}
