import AnswerPeers
import CivilTime
import Foundation
import Outbox
import Reminders
import Sinks
import Synchronization
import Systemd

/// A real sink with its real client, and a server on the loopback that answers it by scripts.
///
/// What is answered to which attempt follows from the seed. On which connection, and whether a
/// deadline passes, is the system's: of such a life a seed repeats what is said, not every moment.
final class AnsweredSink {
  enum Client: CaseIterable {
    case webhook, ntfy
  }

  private let client: Client
  private let directory: Workspace
  private let book: AnswerBook<AnswerScript>
  private let peer: AnswerPeer
  private let sink: any Sink
  private let time = Time()

  init(_ client: Client) throws {
    self.client = client
    directory = try Workspace()
    let book = AnswerBook(healthy: AnswerScript.healthy)
    self.book = book
    peer = try Waiting.end { try await AnswerPeer { AnswerConnection(book) } }.get()
    sink = try Self.sink(client, port: peer.port, directory, time)
  }

  /// Hands deliveries over, and waits for what becomes of them.
  ///
  /// - Parameter scripts: what each is answered, in order; all of them well if there are none.
  /// - Returns: also what is wrong with the client, in words.
  func hand(
    _ deliveries: [Reminders.Delivery], at now: Instant, answered scripts: [AnswerScript]
  ) -> (result: Result<[SinkAnswer], SinkOutage>, findings: [String]) {
    time.now.withLock { $0 = now }
    book.set(zip(deliveries, scripts).map { (mark: mark(of: $0), script: $1) })
    let sink = sink
    let result = Waiting.end { () async throws(SinkOutage) in try await sink.deliver(deliveries) }
    var findings = book.takeFindings()
    if case .success(let answers) = result, answers.count != deliveries.count {
      findings.append("\(answers.count) answers for \(deliveries.count) deliveries")
    }
    return (result, findings)
  }

  /// What of a request tells for which delivery it is.
  private func mark(of delivery: Reminders.Delivery) -> String {
    switch client {
    case .webhook: "\"id\":\"\(delivery.identifier)-\(delivery.channel.name)\""
    case .ntfy: "\"sequence_id\":\"\(delivery.identifier)\""
    }
  }

  // MARK: - Making it

  private static func sink(
    _ client: Client, port: Int, _ directory: Workspace, _ time: Time
  ) throws -> any Sink {
    let url = try HTTPURL("http://127.0.0.1:\(port)/")
    let policy = AddressPolicy(allowed: ["127.0.0.0/8"].compactMap(Network.init))
    let http = HTTPSettings(policy: policy)
    let common = SinkCommonSettings(name: "sink", deadline: .seconds(1), concurrency: 8)
    let surroundings = SinkSurroundings(
      journal: Journal(.lines(-1)), credentials: Credentials(directory: directory.path),
      now: { time.now.withLock(\.self) })
    guard client == .ntfy, let topic = NtfyTopic("all") else {
      let secret = "whsec_" + Data(repeating: 7, count: 32).base64EncodedString()
      try Data(secret.utf8).write(to: URL(filePath: directory.path + "/secret"))
      return try WebhookConfiguration(url: url, secrets: ["secret"], http: http)
        .sink(common, in: surroundings)
    }
    return try NtfyConfiguration(server: url, topic: topic, http: http)
      .sink(common, in: surroundings)
  }

  /// What the sink takes for the time, on whatever thread it works.
  private final class Time: Sendable {
    let now = Mutex(Instant(milliseconds: 0))
  }
}

/// Waits with a life's thread for what goes on in others.
private enum Waiting {
  private final class Outcome<Value: Sendable, Failure: Error>: Sendable {
    let result = Mutex<Result<Value, Failure>?>(nil)
    let isThere = DispatchSemaphore(value: 0)
  }

  static func end<Value: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () async throws(Failure) -> Value
  ) -> Result<Value, Failure> {
    let outcome = Outcome<Value, Failure>()
    Task.detached {
      let result: Result<Value, Failure>
      do throws(Failure) {
        result = .success(try await work())
      } catch {
        result = .failure(error)
      }
      outcome.result.withLock { $0 = result }
      outcome.isThere.signal()
    }
    while true {
      outcome.isThere.wait()
      if let result = outcome.result.withLock(\.self) { return result }
    }
  }
}
