import AnswerPeers
import CivilTime
import Foundation
import Outbox
import Reminders
import Sinks
import Synchronization
import Systemd

/// A real sink with its real client, and a local server that answers it by scripts.
///
/// A run with the same seed repeats the answers, but not their timing, because connections and
/// timeouts depend on the system.
final class AnsweredSink {
  enum Client: CaseIterable {
    case webhook, ntfy
  }

  private let client: Client
  /// Holds the secret of the webhook.
  private let directory: Workspace
  /// The server's answers to marked requests, and the findings about the client.
  private let book: AnswerBook<AnswerScript>
  private let peer: AnswerPeer
  private let sink: any Sink
  private let time = Time()

  init(_ client: Client) throws {
    self.client = client
    directory = try Workspace()
    let book = AnswerBook(healthy: AnswerScript.healthy)
    self.book = book
    peer = try Waiting.run { try await AnswerPeer { AnswerConnection(book) } }.get()
    sink = try Self.sink(client, port: peer.port, directory, time)
  }

  /// Sends deliveries and waits for the results.
  ///
  /// - Parameter scripts: the server's answers to the deliveries, in order; if empty, the server
  ///   accepts all.
  /// - Returns: the sink's result, and findings about the client.
  func dispatch(
    _ deliveries: [Reminders.Delivery], at now: Instant, answeredBy scripts: [AnswerScript]
  ) -> (result: Result<[SinkAnswer], SinkOutage>, findings: [String]) {
    time.now.withLock { $0 = now }
    book.set(zip(deliveries, scripts).map { (mark: mark(of: $0), script: $1) })
    let sink = sink
    let result = Waiting.run { () async throws(SinkOutage) in try await sink.deliver(deliveries) }
    var findings = book.takeFindings()
    if case .success(let answers) = result, answers.count != deliveries.count {
      findings.append("\(answers.count) answers for \(deliveries.count) deliveries")
    }
    return (result, findings)
  }

  /// Returns the part of a request that identifies the delivery.
  private func mark(of delivery: Reminders.Delivery) -> String {
    switch client {
    case .webhook: "\"id\":\"\(delivery.identifier)-\(delivery.channel.name)\""
    case .ntfy: "\"sequence_id\":\"\(delivery.identifier)\""
    }
  }

  // MARK: - Setup

  private static func sink(
    _ client: Client, port: Int, _ directory: Workspace, _ time: Time
  ) throws -> any Sink {
    let url = try HTTPURL("http://127.0.0.1:\(port)/")
    let policy = AddressPolicy(allowed: ["127.0.0.0/8"].compactMap(Network.init))
    let http = HTTPSettings(policy: policy)
    let common = SinkCommonSettings(name: "sink", deadline: .seconds(1), concurrency: 8)
    let environment = SinkEnvironment(
      journal: Journal(.lines(-1)), credentials: Credentials(directory: directory.path),
      now: { time.now.withLock(\.self) })
    guard client == .ntfy, let topic = NtfyTopic("all") else {
      let secret = "whsec_" + Data(repeating: 7, count: 32).base64EncodedString()
      try Data(secret.utf8).write(to: URL(filePath: directory.path + "/secret"))
      return try WebhookConfiguration(url: url, secrets: ["secret"], http: http)
        .sink(common, in: environment)
    }
    return try NtfyConfiguration(server: url, topic: topic, http: http)
      .sink(common, in: environment)
  }

  /// The sink's clock, which any thread may read.
  private final class Time: Sendable {
    let now = Mutex(Instant(milliseconds: 0))
  }
}

/// Blocks the calling thread until an asynchronous task ends.
private enum Waiting {
  private final class Outcome<Value: Sendable, Failure: Error>: Sendable {
    let result = Mutex<Result<Value, Failure>?>(nil)
    let completion = DispatchSemaphore(value: 0)
  }

  static func run<Value: Sendable, Failure: Error>(
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
      outcome.completion.signal()
    }
    while true {
      outcome.completion.wait()
      if let result = outcome.result.withLock(\.self) { return result }
    }
  }
}
