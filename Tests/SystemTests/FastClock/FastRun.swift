import CivilTime
import Glibc
import JSON

/// What came of a scenario: the lines that were delivered.
struct FastRun {
  /// Everything of a line but when it went out.
  struct Said: Hashable, Comparable, CustomStringConvertible {
    let description: String

    init(_ line: JSONValue) {
      let fields = ["recipient", "reminder", "channel", "planned", "title", "body", "silent"]
      let parts = fields.compactMap { line[$0].map { "\($0)" } }
      let members = line["digest"]?.arrayValue?.compactMap(\.stringValue).sorted() ?? []
      description = (parts + members).joined(separator: " ")
    }

    static func < (one: Said, other: Said) -> Bool { one.description < other.description }
  }

  /// How late something may be that is not late by rule T8.
  static let punctual = TimeSpan.minutes(1)

  /// When each went out, in order.
  private(set) var instants: [Said: [Instant]] = [:]
  /// How late the service was told of an event at most, and how many reminders it was late with.
  private(set) var lateness = TimeSpan.zero
  private(set) var lateTurns = 0

  /// Whether all went so fast that it can be told from the result what is right.
  var isPunctual: Bool { lateness <= Self.punctual && lateTurns == 0 }

  var count: Int { instants.values.reduce(0) { $0 + $1.count } }

  private mutating func add(_ lines: [JSONValue], before end: Instant) {
    for line in lines {
      guard let at = line["at"]?.stringValue.flatMap({ Instant($0) }), at < end else { continue }
      instants[Said(line), default: []].append(at)
    }
    for said in instants.keys { instants[said]?.sort() }
  }

  /// What `chimed simulate` says of it.
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
  }

  /// What the service does, told of each event when its time has come.
  init(of scenario: FastScenario, rate: Int64) throws {
    let (workspace, groups) = (try Workspace(), try scenario.groups())
    guard let first = groups.first?.time else { throw Failure("\(scenario.name) is empty") }
    let end = try scenario.end(after: first)
    let clock = try FastClock(in: workspace, at: first - .minutes(30))
    let service = try Self.service(scenario.catalog, clock, workspace)
    try clock.go(from: first - .seconds(10), rate: rate)
    for group in groups {
      try Self.pass(until: clock.realTime(of: group.time), service)
      let body = Report.batch(group.events.map { "\($0)" })
      guard try service.ask("POST", "/v1/events", body).status == 200 else {
        throw Failure("the events of \(group.time) were not taken")
      }
      lateness = max(lateness, clock.now - group.time)
    }
    try Self.pass(until: clock.realTime(of: end + .minutes(2)), service)
    lateTurns = try Self.lateTurns(service)
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
      # That it leaps ahead of the time that passes is what it is for.
      clock: {patience: 0s}
      sinks: {lines: {type: jsonl, file: \(workspace.deliveries)}}
      """, to: file)
    let service = try Service(
      workspace, arguments: ["serve", "--config", file, "--socket", workspace.socket],
      environment: clock.environment)
    try service.waitUntilReady()
    return service
  }

  /// Lets real time pass, and reads what the service logs meanwhile.
  private static func pass(until end: Instant, _ service: Service) throws {
    while Report.now < end {
      let inlets = [service.process.output, service.process.errors].filter { !$0.isAtEnd }
      var requests = inlets.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
      let wait = Int32(clamping: min(60_000, (end - Report.now).milliseconds))
      if poll(&requests, nfds_t(requests.count), max(0, wait)) > 0 { try service.turn() }
      guard !service.hasEnded else { throw Failure("the service has ended:\n\(service.log)") }
    }
  }

  /// How many turns came too late by the service's own account.
  private static func lateTurns(_ service: Service) throws -> Int {
    let metrics = try service.metrics { _ in true }
    let name = "chimed_lateness_seconds_"
    return (metrics[name + "count"] ?? 0) - (metrics[name + "bucket{le=\"60.0\"}"] ?? 0)
  }
}

extension FastRun {
  /// In what the service has done something else than the simulation, and by how much it was later
  /// at most.
  func differences(from simulated: FastRun) -> (lines: [String], lag: TimeSpan) {
    var (lines, lag) = ([String](), TimeSpan.zero)
    for said in Set(instants.keys).union(simulated.instants.keys).sorted() {
      let (live, wanted) = (instants[said] ?? [], simulated.instants[said] ?? [])
      for (at, due) in zip(live, wanted) { lag = max(lag, at - due) }
      let isSame =
        live.count == wanted.count
        && zip(live, wanted).allSatisfy { (TimeSpan.zero...Self.punctual).contains($0 - $1) }
      if !isSame { lines.append("\(said): the service at \(live), simulated at \(wanted)") }
    }
    return (lines, lag)
  }
}
