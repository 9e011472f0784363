import CivilTime
import Cryptography
import DeliverySamples
import Foundation
import Outbox
import Sinks
import Testing

/// Verification of chimed's signatures by the README's receiver with the Python package
/// `standardwebhooks`.
@Suite(
  .enabled(
    if: StandardWebhooks.isAvailable,
    "standardwebhooks is missing; run `make test`, which fetches it"))
struct WebhookReceiverTests {
  private static func secret(_ byte: UInt8, count: Int = 32) -> String {
    "whsec_" + Data(repeating: byte, count: count).base64EncodedString()
  }

  /// Returns the receiver's answers to deliveries, and the first line that it printed.
  ///
  /// - Parameters:
  ///   - receiver: the receiver's secret.
  ///   - sink: the secrets with which the sink signs.
  ///   - numbers: the numbers of the notifications.
  private func answers(
    receiver: String, sink: [String], _ numbers: [Int64]
  ) async throws -> (answers: [SinkAnswer], printed: String) {
    let child = try ChildProcess([
      "env", "WEBHOOK_SECRET=" + receiver, StandardWebhooks.python, "-B",
      PythonPeer.peers + "/webhook_receiver.py", "0",
    ])
    let line = child.readLine()
    let port = try #require(line.split(separator: " ").last.flatMap { Int($0) })
    let client = try SafeHTTPClient(
      HTTPSettings(policy: Surroundings.loopback), deadline: .seconds(20), concurrency: 4)
    let sink = WebhookSink(
      name: "hook", url: try HTTPURL("http://127.0.0.1:\(port)/"),
      secrets: sink.compactMap { WebhookSecret(Secret($0)) }, concurrency: 4, client: client,
      surroundings: Surroundings.make())
    var answers: [SinkAnswer] = []
    for number in numbers {
      let delivery = Fixtures.delivery(number, title: "Nº \(number) – „Prüfung“ 👋")
      answers += try await sink.deliver([delivery])
    }
    return (answers, answers.first?.isDelivered == true ? child.readLine() : "")
  }

  @Test(arguments: [24, 32, 64])
  func `signatures are verified by another implementation`(byteCount: Int) async throws {
    let secret = Self.secret(1, count: byteCount)
    let (answers, printed) = try await answers(receiver: secret, sink: [secret], [1, 2, 2])
    #expect(answers.map(\.isDelivered) == [true, true, true])
    #expect(printed == "amina: Nº 1 – „Prüfung“ 👋")
  }

  @Test(arguments: [UInt8(1), 2])
  func `while secrets are rotated, both are accepted`(byte: UInt8) async throws {
    let (answers, _) = try await answers(
      receiver: Self.secret(byte), sink: [Self.secret(1), Self.secret(2)], [1])
    #expect(answers.map(\.isDelivered) == [true])
  }

  @Test func `a signature with another secret is rejected`() async throws {
    let (answers, _) = try await answers(
      receiver: Self.secret(1), sink: [Self.secret(2)], [1])
    #expect(answers.map(\.isRejected) == [true])
    #expect(answers.first?.reason?.contains(": 401 Unauthorized") == true)
  }
}

/// The package `standardwebhooks`, in its own virtual environment.
enum StandardWebhooks {
  static let python = URL(filePath: #filePath)
    .appending(path: "../../../../.build/tools/standardwebhooks/bin/python").standardized.path
  static var isAvailable: Bool { FileManager.default.isExecutableFile(atPath: python) }
}
