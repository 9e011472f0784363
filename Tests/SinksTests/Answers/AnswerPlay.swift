import AnswerPeers
import CivilTime
import DeliverySamples
import Foundation
import Outbox
import Reminders
import Sinks
import Systemd
import TLS
import TestSupport

/// A sink and a peer whose answers follow a grammar. Each delivery must have one result, and the
/// sink must continue.
///
/// `play` accepts any seed, can be called from any program, and returns the violations.
struct AnswerPlay: Sendable {
  enum Client: String, CaseIterable, Sendable {
    case webhook, ntfy, fcm, apns

    var usesHTTP2: Bool { self == .fcm || self == .apns }
  }

  /// The number of deliveries that scripts answer at once.
  static let batch = 8

  let client: Client
  private let directory: TemporaryDirectory
  private let surroundings: SinkEnvironment
  private let keys: PushKeys?

  init(_ client: Client) async throws {
    self.client = client
    directory = try TemporaryDirectory()
    surroundings = Surroundings.make(credentials: directory.path)
    keys = client.usesHTTP2 ? try await PushKeys.shared() : nil
    if let keys {
      try directory.write(try keys.text("provider.key"), to: "apple")
    } else {
      let secret = Data(repeating: 7, count: 32).base64EncodedString()
      try directory.write("whsec_" + secret, to: "secret")
    }
  }

  /// - Returns: descriptions of the violations.
  func play(seed: UInt64) async throws -> [String] {
    var random = SplitMix64(seed: seed)
    let findings = client.usesHTTP2 ? try await playFrames(&random) : try await playText(&random)
    return findings.map { "\(client) with the seed \(seed): \($0)" }
  }

  // MARK: - HTTP/1.1

  private func playText(_ random: inout SplitMix64) async throws -> [String] {
    let book = AnswerBook(healthy: AnswerScript.healthy)
    let peer = try await AnswerPeer { AnswerConnection(book) }
    let sink = try webSink(peer.port)
    let scripts = (0..<Self.batch).map { number in
      var grammar = AnswerGrammar(seed: random.next())
      return (mark: Self.mark(number), script: grammar.script())
    }
    let isGreeted = random.chance(10)
    var grammar = AnswerGrammar(seed: random.next())
    book.set(scripts, greeting: isGreeted ? grammar.script().pieces.flatMap(\.self) : [])
    let answers = try await answers(of: sink)
    var findings = book.takeFindings()
    // Bytes beyond a connection's own answer may be read as the next answer.
    let isAlone = scripts.allSatisfy { $0.script.ending == .stay && $0.script.pieces.count == 1 }
    if let answers {
      for (script, answer) in zip(scripts, answers) where isAlone && !isGreeted {
        findings += Self.mistakes(script.script, answer)
      }
    }
    book.set([])
    return findings + (await healthFindings(of: sink))
  }

  /// Returns a finding if the sink's answer is not the one that the script expects.
  private static func mistakes(_ script: AnswerScript, _ answer: SinkAnswer) -> [String] {
    let isExpected =
      switch script.expectation {
      case .delivered: answer.isDelivered
      case .retry: answer.isRetry
      case .refused: !answer.isDelivered
      case .any: true
      }
    let beginning = String(decoding: script.pieces[0].prefix(40), as: UTF8.self)
    return isExpected ? [] : ["\(answer.verdict) to \(beginning.debugDescription)"]
  }

  private func webSink(_ port: Int) throws -> any Sink {
    let url = try HTTPURL("http://127.0.0.1:\(port)/")
    let http = HTTPSettings(
      policy: AddressPolicy(allowed: ["127.0.0.0/8"].compactMap(Network.init)))
    let common = SinkCommonSettings(name: "played", deadline: .seconds(1), concurrency: 4)
    if client == .webhook {
      return try WebhookConfiguration(url: url, secrets: ["secret"], http: http)
        .sink(common, in: surroundings)
    }
    guard let topic = NtfyTopic("all") else { throw Broken("no topic") }
    return try NtfyConfiguration(server: url, topic: topic, http: http)
      .sink(common, in: surroundings)
  }

  // MARK: - HTTP/2

  private func playFrames(_ random: inout SplitMix64) async throws -> [String] {
    guard let keys else { throw Broken("no keys") }
    let book = AnswerBook<FrameConnection.Script>(healthy: {
      AnswerScript(FrameGrammar.healthy($0))
    })
    let peer = try await AnswerPeer(tls: try Self.tls(keys)) { FrameConnection(book) }
    let sink = try pushSink(peer.port, keys)
    let scripts = (0..<Self.batch).map { number in
      let seed = random.next()
      let script: FrameConnection.Script = { stream in
        var grammar = FrameGrammar(seed: seed, stream: stream)
        return grammar.script()
      }
      return (mark: Self.mark(number), script: script)
    }
    book.set(scripts)
    _ = try await answers(of: sink)
    let findings = book.takeFindings()
    book.set([])
    return findings + (await healthFindings(of: sink))
  }

  private static func tls(_ keys: PushKeys) throws -> TLSContext {
    try TLSContext(
      acceptingBy: "h2", certificates: keys.directory + "/peer.pem",
      key: keys.directory + "/peer.key")
  }

  private func pushSink(_ port: Int, _ keys: PushKeys) throws -> any Sink {
    var settings = [
      "type": client.rawValue, "endpoint": "https://localhost:\(port)", "trust": keys.trust,
      "deadline": "1s",
    ]
    if client == .fcm {
      try directory.write(try Self.account(port, keys), to: "firebase-\(port)")
      settings["account"] = "{credential: firebase-\(port)}"
    } else {
      settings.merge([
        "key": "{credential: apple}", "key-id": "KEY1234567", "team-id": "TEAM123456",
        "topic": "com.example.app",
      ]) { $1 }
    }
    let (delivery, diagnostics) = try PushStage.read(settings)
    guard let sink = delivery.sinks.first, diagnostics.isEmpty else {
      throw Broken("\(diagnostics)")
    }
    return try sink.make(in: surroundings)
  }

  private static func account(_ port: Int, _ keys: PushKeys) throws -> String {
    let key = try keys.text("account.key").replacing("\n", with: "\\n")
    return """
      {"type": "service_account", "project_id": "tests", "private_key_id": "key-1",
       "private_key": "\(key)", "client_email": "chimed@tests.example", "client_id": "1",
       "token_uri": "https://localhost:\(port)/token"}
      """
  }

  // MARK: - Deliveries

  private struct Broken: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
      self.description = description
    }
  }

  private static func mark(_ number: Int) -> String { "delivery \(number) of the play" }

  private func delivery(_ number: Int64, title: String) -> Delivery {
    var delivery = Fixtures.delivery(number, title: title)
    let platform = client == .fcm ? "android" : "ios"
    delivery.addressee = Addressee(
      zone: "UTC", devices: [PushStage.device("phone", platform)])
    return delivery
  }

  /// - Returns: an answer for each delivery; nil if there was an outage.
  private func answers(of sink: any Sink) async throws -> [SinkAnswer]? {
    let deliveries = (0..<Self.batch).map { delivery(Int64($0), title: Self.mark($0)) }
    do throws(SinkOutage) {
      let answers = try await sink.deliver(deliveries)
      guard answers.count == Self.batch else { throw SinkOutage("\(answers.count) answers") }
      return answers
    } catch {
      return nil
    }
  }

  /// Returns a finding if the sink no longer accepts good answers. On a busy machine the sink may
  /// need several tries.
  private func healthFindings(of sink: any Sink) async -> [String] {
    // A sink that is disabled for good is not called again.
    guard sink.whyDisabled == nil else { return [] }
    var last = ""
    for attempt: Int64 in 1...20 {
      let deliveries = (0..<3).map { delivery(attempt * 100 + $0, title: "a good one") }
      do throws(SinkOutage) {
        let answers = try await sink.deliver(deliveries)
        if answers.count == 3, answers.allSatisfy(\.isDelivered) { return [] }
        last = "\(answers.map(\.verdict))"
      } catch {
        last = error.description
      }
    }
    return ["the sink no longer accepts good answers: \(last)"]
  }
}
