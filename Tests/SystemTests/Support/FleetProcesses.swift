import Glibc
import JSON
import Postgres
import PostgresServer
import Testing

/// Services as nodes of one fleet, each with its own directory, and their output.
final class FleetProcesses {
  let database: TemporaryPostgresDatabase
  /// Few shards, because a node that joins late gets one each half second.
  private static let shards = 16

  private let isForwarding: Bool
  private var workspaces: [String: Workspace] = [:]
  private var services: [String: Service] = [:]
  /// The delivered ids by recipient, in the order of reading.
  private(set) var deliveredIDs: [String: [String]] = [:]
  /// The node of each recipient's last delivery.
  private(set) var deliveringNodes: [String: String] = [:]

  /// Creates the store, and starts nodes by name.
  ///
  /// - Parameters:
  ///   - isForwarding: whether the nodes forward requests to each other.
  ///   - hasStore: whether the store is created.
  init(
    _ names: [String], isForwarding: Bool = false, on server: PostgresServer? = nil,
    hasStore: Bool = true
  ) throws {
    self.isForwarding = isForwarding
    database = try server.map { try TemporaryPostgresDatabase(on: $0) } ?? .init()
    for name in ["a", "b", "c"] { workspaces[name] = try Workspace() }
    if isForwarding { try NodeCertificates.write(to: workspaces.values.map(\.path)) }
    for name in workspaces.keys { try configure(name, database: database.location) }
    if hasStore {
      let creation = try createStore()
      guard creation.ending == .exited(0) else { throw Failure("no store: \(creation.text)") }
    }
    for name in names { try start(name) }
    for name in names { try service(name).waitUntilReady() }
  }

  typealias Outcome = (ending: ChildProcess.Ending, text: String)

  /// Creates the store.
  func createStore(_ options: String...) throws -> Outcome {
    try run(["init", "--shards", "\(Self.shards)"] + options)
  }

  func finalize() throws -> Outcome { try run(["finalize"]) }

  private func run(_ words: [String]) throws -> Outcome {
    let arguments = try ["fleet"] + words + ["--config", configuration("a")]
    let process = try ChildProcess(Project.chimed, arguments)
    let ending = try process.finish()
    return (ending, String(decoding: process.output.take() + process.errors.take(), as: UTF8.self))
  }

  func configure(_ name: String, database location: String, lease: String = "3s") throws {
    try Files.write(
      """
      state-directory: \(workspace(name).state)
      store: {postgresql: {url: "\(location)"}}
      fleet: {name: \(name), lease: \(lease)\(isForwarding ? try forwardingSettings(name) : "")}
      socket: \(workspace(name).socket)
      catalogs: [imanpath, \(workspace(name).path)/visits.yaml]
      sinks: {out: {type: jsonl, file: "-"}}
      """, to: configuration(name))
    try Files.write(Self.visits, to: workspace(name).path + "/visits.yaml")
  }

  /// A catalog in which visits notify the carer that they name.
  private static let visits = """
    catalog: visits
    events: {booked: {visit: identifier, at: instant, carer: recipient}}
    categories: {VISIT: {title: Visits, channels: {push: true}}}
    groups: {visits: {enabled: true}}
    reminders:
      booked-visit:
        to: carer
        category: VISIT
        group: visits
        past: {event: booked, at: at, by: 1m}
        expires: 3d
        messages: [{title: Booked, body: "{{visit}}"}]
    """

  /// Returns the settings by which a node accepts the requests that other nodes forward.
  private func forwardingSettings(_ name: String) throws -> String {
    let path = try workspace(name).path
    return """
      , listen: "127.0.0.1:\(try FreePort.any())", certificate: \(path)/node.pem, \
      key: \(path)/node.key, authority: \(path)/authority.pem
      """
  }

  func workspace(_ name: String) throws -> Workspace {
    guard let workspace = workspaces[name] else { throw Failure("there is no \(name)") }
    return workspace
  }

  private func configuration(_ name: String) throws -> String {
    try workspace(name).path + "/chimed.yaml"
  }

  func arguments(_ name: String) throws -> [String] {
    try ["serve", "--config", configuration(name)]
  }

  private func service(_ name: String) throws -> Service {
    guard let service = services[name] else { throw Failure("\(name) does not run") }
    return service
  }

  func start(_ name: String, environment: [String: String] = [:]) throws {
    services[name] = try Service(
      workspace(name), arguments: arguments(name), environment: environment)
  }

  // MARK: - Output

  /// Waits for output of one of the nodes, and reads it.
  func readOutput() throws {
    let descriptors = services.mapValues { service in
      [service.process.output, service.process.errors].filter { !$0.isAtEnd }.map(\.descriptor)
    }
    let ready: Set<Int32>
    do {
      ready = try Poll.wait(reading: descriptors.values.flatMap(\.self), writing: [])
    } catch let nothing as Poll.NothingHappened {
      let logs = services.map { "\($0.key):\n\($0.value.log)" }.joined(separator: "\n")
      throw Poll.NothingHappened(seconds: nothing.seconds, log: logs)
    }
    for (name, service) in services where !ready.isDisjoint(with: descriptors[name] ?? []) {
      try service.readOutput()
      try read(name)
    }
  }

  private func read(_ name: String) throws {
    for line in try service(name).process.output.takeLines() {
      let delivery = try JSONParser.parse(Array(line))
      let recipient = delivery["recipient"]?.stringValue ?? ""
      deliveredIDs[recipient, default: []].append(delivery["id"]?.stringValue ?? "")
      deliveringNodes[recipient] = name
    }
  }

  /// Waits until this many recipients have been notified.
  func waitUntilDelivered(_ count: Int) throws {
    while deliveredIDs.count < count { try readOutput() }
  }

  func waitUntilLogged(_ text: String, by name: String) throws {
    while try !service(name).log.contains(text) { try readOutput() }
  }

  /// Waits until this many nodes own all shards, none more than its share.
  func waitUntilShared(by count: Int) throws {
    while try !isShared(by: count) { try readOutput() }
  }

  /// Whether this many nodes own all shards, none more than its share; false if the server is down.
  private func isShared(by count: Int) throws -> Bool {
    var owned: [Int64] = []
    do {
      try PostgresConnection(database.location).query(
        "SELECT count(*) FROM chimed.shard WHERE owner IS NOT NULL GROUP BY owner"
      ) { owned.append($0.integer(0)) }
    } catch {
      return false
    }
    return owned.count == count && owned.reduce(0, +) == Self.shards
      && owned.allSatisfy { $0 <= (Self.shards - 1 + count) / count }
  }

  /// Checks that the other node notifies the recipients of a fenced node. Then checks that the
  /// fenced node joins again and gets its share of shards once it can.
  ///
  /// - Parameters:
  ///   - fenced: the fenced one of two nodes.
  ///   - event: returns an event for each of 60 recipients, by number.
  ///   - removeFault: removes the fault because of which the node is fenced.
  func checkTakeover(
    of fenced: String, by other: String, _ event: (Int) -> String, removeFault: () throws -> Void
  ) throws {
    try waitUntilShared(by: 1)
    for number in 0..<30 { try submit(event(number)) }
    try waitUntilDelivered(30)
    #expect(Set(deliveringNodes.values) == [other])
    try removeFault()
    try waitUntilLogged("joins again", by: fenced)
    try waitUntilShared(by: 2)
    for number in 30..<60 { try submit(event(number)) }
    try waitUntilDelivered(60)
    #expect(deliveredIDs.values.allSatisfy { $0.count == 1 })
    #expect(Set(deliveringNodes.values) == [fenced, other])
  }

  // MARK: - Input

  /// Submits an event like an app in its own transaction.
  func submit(_ event: String) throws {
    try PostgresConnection(database.location).query("SELECT chimed.submit($1)", [.text(event)]) {
      _ in
    }
  }

  /// - Returns: the status of the response.
  func ask(_ name: String, _ event: String) throws -> Int {
    try Int(ask(name, "POST", "/v1/events", event).status)
  }

  func ask(
    _ name: String, _ method: String, _ path: String, _ body: String = ""
  ) throws -> Connection.Reply {
    let reply = try service(name).ask(method, path, body)
    try read(name)
    return reply
  }

  func send(_ signal: CInt, to name: String) throws { try service(name).process.send(signal) }

  func kill(_ name: String) throws {
    let service = try service(name)
    service.process.send(SIGKILL)
    while !service.hasEnded { try service.readOutput() }
    try read(name)
    _ = try service.process.finish()
    services[name] = nil
  }

  func stop(_ name: String) throws -> ChildProcess.Ending {
    let ending = try service(name).stop()
    try read(name)
    services[name] = nil
    return ending
  }

  func stopAll() throws {
    for name in services.keys.sorted() {
      let ending = try stop(name)
      guard ending == .exited(0) else { throw Failure("\(name) ended with \(ending)") }
    }
  }
}
