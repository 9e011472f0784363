import CivilTime
import Cryptography
import DeliverySamples
import Foundation
import JSON
import Outbox
import Reminders
import Sinks
import Testing

/// Encryption and signatures of pushes, compared with the examples of the RFCs.
@Suite struct WebPushCipherTests {
  /// RFC 8291, appendix A.
  @Test func `the example of the RFC is reproduced`() throws {
    let subscription = try WebPushSubscription(
      [
        "endpoint": "https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV",
        "expirationTime": nil,
        "keys": [
          "p256dh":
            .string(
              "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bj"
                + "yPjs7Vd8pZGH6SRpkNtoIAiw4"),
          "auth": "BTBZMqHH6r4Tts7J_aSIgg",
        ],
      ], at: "data")
    let cipher = try #require(WebPushCipher(subscription))
    let text = cipher.encrypt(
      Array("When I grow up, I want to be a watermelon".utf8),
      key: try Self.bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"),
      salt: try Self.bytes("DGv6ra1nlYgDCS1FRnbzlw"))
    let expected = try Self.bytes(
      "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLoc"
        + "InmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyo"
        + "uBWLVWGNWQexSgSxsj_Qulcy4a-fN")
    #expect(text == expected)
  }

  @Test func `every push has its own key and salt`() throws {
    let subscription = try #require(
      WebPushSubscription(
        text: "https://a.example/ BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bj"
          + "yPjs7Vd8pZGH6SRpkNtoIAiw4 BTBZMqHH6r4Tts7J_aSIgg"))
    let cipher = try #require(WebPushCipher(subscription))
    let texts = try (0..<3).map { _ in try #require(cipher.encrypt(Array("The same".utf8))) }
    #expect(Set(texts.map { $0.prefix(16) }).count == 3)
    #expect(Set(texts.map { $0[21..<86] }).count == 3)
  }

  @Test func `a raw key is read, and an invalid key is refused`() throws {
    let key = try #require(VAPIDKey(Secret(WebPushStage.key), subject: "mailto:a@example.org"))
    #expect(key.publicKey.count == 87)
    #expect("\(key)" == "(a VAPID key)")
    for text in ["", "abc", WebPushStage.key + "AAAA", "-----BEGIN PRIVATE KEY-----\n"] {
      #expect(VAPIDKey(Secret(text), subject: "mailto:a@example.org") == nil)
    }
  }

  private static func bytes(_ text: String) throws -> [UInt8] {
    let plain = text.replacing("-", with: "+").replacing("_", with: "/")
    let padded = plain + String(repeating: "=", count: (4 - plain.count % 4) % 4)
    return Array(try #require(Data(base64Encoded: padded)))
  }
}

/// The choice of the push service for a device.
@Suite struct WebPushDeviceTests {
  private struct OtherService: PushService {
    let platforms: Set = ["web"]

    func push(
      _ delivery: Delivery, to device: Device, before deadline: ContinuousClock.Instant
    ) async -> PushResult { PushResult(.delivered) }
  }

  /// Google would report a foreign token as gone, and the browser would be removed.
  @Test func `a browser's subscription is not sent to services that use tokens`() {
    func device(_ token: String) -> Device {
      Device(
        identifier: "d", platform: "web", token: token,
        stamp: Stamp(time: Fixtures.noon, order: 1))
    }
    #expect(OtherService().reaches(device("token")))
    #expect(!OtherService().reaches(device("https://push.example/ key secret")))
  }
}
