import Foundation
import JSON
import Testing

/// A server that imitates the push servers of Apple and Google over TLS and HTTP/2, in a program
/// that all tests share.
struct PushPeer: Sendable {
  let port: Int
  private let program: PushProgram

  static var isAvailable: Bool { FileManager.default.isExecutableFile(atPath: PushProgram.python) }

  init(_ keys: PushKeys) async throws {
    program = try await PushProgram.shared(keys)
    let state = State(try await program.ask(["do": "open"]))
    port = Int(try #require(state.value["port"]?.integerValue))
  }

  @discardableResult
  func command(_ command: JSONObject) async throws -> State {
    var command = command
    command["peer"] = .integer(Int64(port))
    return State(try await program.ask(command))
  }

  /// Sets the next answers for a device.
  func script(_ device: String, _ answers: JSONValue...) async throws {
    try await command(["do": "script", "device": .string(device), "answers": .array(answers)])
  }

  /// Sets a variable of the server, such as its `usual` answer (see push_peer.py).
  func set(_ name: String, _ value: JSONValue) async throws {
    var values = JSONObject()
    values[name] = value
    try await command(["do": "set", "values": .object(values)])
  }

  var state: State {
    get async throws { try await command(["do": "look"]) }
  }

  /// The requests that the server has received, and its connections.
  struct State {
    struct Request {
      let value: JSONValue

      var path: String { value["path"]?.stringValue ?? "" }
      var connection: Int64? { value["connection"]?.integerValue }
      func header(_ name: String) -> String? { value["headers"]?[name]?.stringValue }
      var body: JSONValue {
        get throws { try JSONParser().parse(value["body"]?.stringValue ?? "") }
      }
      var byteCount: Int { value["body"]?.stringValue?.utf8.count ?? 0 }
    }

    let value: JSONValue

    init(_ value: JSONValue) {
      self.value = value
    }

    var requests: [Request] { (value["received"]?.arrayValue ?? []).map(Request.init) }
    var tokens: [Request] { requests.filter { $0.path == "/token" } }
    var pushes: [Request] { requests.filter { $0.path != "/token" } }
    func pushes(to device: String) -> [Request] {
      pushes.filter { request in
        request.path.hasSuffix("/" + device)
          || (try? request.body["message"]?["token"]) == .string(device)
      }
    }
    /// The number of connections opened so far.
    var openedCount: Int64? { value["opened"]?.integerValue }
    /// The number of open connections.
    var openCount: Int64? { value["open"]?.integerValue }
  }
}
