import CivilTime
import Glibc
import JSON

/// A service with a configuration file and with secrets as credentials of systemd.
final class DeliveryStage {
  let workspace: Workspace
  private var file: String { workspace.path + "/chimed.yaml" }
  private var secrets: String { workspace.path + "/secrets" }

  /// A catalog with one category, which has every channel, and SMS as the fallback.
  private static let catalog = """
    catalog: notes
    categories:
      NOTE: {title: Notes, channels: {push: true, email: true, sms: fallback, inapp: true}}
    groups:
      notes: {enabled: false, time: "12:00"}
    reminders:
      note:
        category: NOTE
        group: notes
        every: {day: {at: $time}}
        expires: 12h
        messages: [{title: Note, body: A note.}]
    """

  /// - Parameters:
  ///   - sinks: YAML by sink name.
  ///   - routes: YAML.
  ///   - secrets: the credentials by name.
  ///   - others: further lines of the configuration.
  ///   - catalog: YAML; nil for the catalog with one category.
  init(
    _ sinks: KeyValuePairs<String, String>, routes: String, secrets: [String: String] = [:],
    others: [String] = [], catalog text: String? = nil
  ) throws {
    workspace = try Workspace()
    _ = try Failure.check("mkdir", mkdir(self.secrets, 0o700))
    for (name, secret) in secrets { try Files.write(secret + "\n", to: self.secrets + "/" + name) }
    let catalog = workspace.path + "/notes.yaml"
    try Files.write(text ?? Self.catalog, to: catalog)
    let sinks = sinks.map { "  \($0): \($1)\n" }.joined()
    try Files.write(
      """
      catalogs: [\(catalog)]
      state-directory: \(workspace.state)
      socket: \(workspace.socket)
      sinks:
      \(sinks)
      routes: \(routes)
      \(others.joined(separator: "\n"))
      """, to: file)
  }

  /// Starts the service and waits until it serves.
  func start() throws -> Service {
    let service = try launch()
    try service.waitUntilReady()
    return service
  }

  /// Starts the service, and does not wait until it serves.
  func launch() throws -> Service {
    try Service(
      workspace, arguments: ["serve", "--config", file],
      environment: ["CREDENTIALS_DIRECTORY": secrets])
  }
}

extension Service {
  /// Reports events, which must be accepted.
  func report(_ events: String...) throws {
    let reply = try ask("POST", "/v1/events", Report.batch(events))
    guard reply.status == 200, reply.body["accepted"]?.integerValue == Int64(events.count) else {
      throw Failure("\(events) were answered by \(reply)")
    }
  }

  /// Polls until the answer meets the condition, because the result of an attempt is recorded a
  /// moment after the sink's peer has received it.
  func ask(_ path: String, until condition: (JSONValue) -> Bool) throws -> JSONValue {
    let start = Report.now
    while true {
      let reply = try ask("GET", path)
      if reply.status == 200, condition(reply.body) { return reply.body }
      guard [200, 404].contains(reply.status),
        Report.now < start + TimeSpan.seconds(Int(Poll.timeout))
      else {
        throw Failure("\(path) is still \(reply)")
      }
    }
  }

  /// Waits until a recipient's deliveries of the notification with a title meet the condition, and
  /// returns them.
  func deliveries(
    _ title: String, to recipient: String = "r1", until condition: ([ExplainedDelivery]) -> Bool
  ) throws -> [ExplainedDelivery] {
    let path = "/v1/recipients/\(recipient)/"
    let list = try ask(path + "notifications?outcome=any&q=\(title)") {
      $0["notifications"]?.arrayValue?.isEmpty == false
    }
    let identifier = list["notifications"]?.arrayValue?.first?["id"]?.stringValue ?? ""
    let answer = try ask(path + "explain?notification=\(identifier)") {
      condition(ExplainedDelivery.all(in: $0))
    }
    return ExplainedDelivery.all(in: answer)
  }
}

/// The state of a delivery in `explain`, such as "push by hook: accepted", and its attempts,
/// such as "hook: delivered 204".
struct ExplainedDelivery: Hashable, CustomStringConvertible {
  let description: String
  let attempts: [String]

  var isOver: Bool { !description.hasSuffix("waiting") && !description.hasSuffix("retrying") }

  static func all(in explanation: JSONValue) -> [ExplainedDelivery] {
    (explanation["explanations"]?.arrayValue?.first?["deliveries"]?.arrayValue ?? []).map {
      ExplainedDelivery($0)
    }
  }

  private init(_ value: JSONValue) {
    func word(_ value: JSONValue, _ name: String) -> String { value[name]?.stringValue ?? "" }
    description =
      "\(word(value, "channel")) by \(word(value, "sink")): \(word(value, "state"))"
    attempts = (value["attempts"]?.arrayValue ?? []).map { attempt in
      let parts = [
        word(attempt, "sink") + ":", word(attempt, "verdict"),
        word(attempt, "status"),
      ]
      return parts.filter { !$0.isEmpty }.joined(separator: " ")
    }
  }
}
