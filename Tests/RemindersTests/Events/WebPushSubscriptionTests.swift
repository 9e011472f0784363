import CivilTime
import JSON
import Reminders
import Testing

/// Rule E2: a browser registers with what it was given to be reached by.
@Suite struct WebPushSubscriptionTests {
  private static let key = String(repeating: "B", count: 87)
  private static let secret = String(repeating: "C", count: 22)

  private static func reading(
    _ change: (inout JSONObject) -> Void
  ) throws -> (change: DeviceChange?, refusal: String?) {
    var data: JSONObject = [
      "deviceId": "browser", "platform": "web",
      "subscription": [
        "endpoint": "https://push.example/p/1", "expirationTime": nil,
        "keys": ["p256dh": .string(key), "auth": .string(secret)],
      ],
    ]
    change(&data)
    let event: JSONValue = [
      "specversion": "1.0", "id": "1", "source": "app", "type": "device.registered",
      "subject": "amina", "time": "2026-03-02T09:00:00Z", "data": .object(data),
    ]
    do {
      let content = try EventReader(planner: Fixtures.planner()).event(event, now: nil).content
      guard case .device(let change) = content else { return (nil, "no device") }
      return (change, nil)
    } catch let refusal as Refusal {
      return (nil, refusal.description)
    }
  }

  @Test func e2ASubscriptionTakesThePlaceOfAToken() throws {
    let change = try #require(try Self.reading { _ in }.change)
    let subscription = try #require(change.token.flatMap { WebPushSubscription(text: $0) })
    #expect(subscription.endpoint == "https://push.example/p/1")
    #expect(subscription.key == Self.key)
    #expect(subscription.secret == Self.secret)
  }

  @Test(
    arguments: [
      (["platform": "ios"], "data.subscription is what a browser gives"),
      (["token": "t"], "data.subscription is what a browser gives"),
      (["subscription": "x"], "data.subscription must be what toJSON()"),
      (["subscription": ["endpoint": "https://a.example/"]], "data.subscription must be what"),
      (["subscription": nil], "data.token is missing"),
    ] as [(JSONObject, String)])
  func e2WhatIsNoSubscriptionIsRefused(changes: JSONObject, text: String) throws {
    let refusal = try Self.reading { data in
      for change in changes { data[change.key] = change.value }
    }.refusal
    #expect(refusal?.hasPrefix(text) == true, "\(refusal ?? "it was taken")")
  }

  @Test(arguments: [
    ("endpoint", "http://push.example/p/1", "data.subscription.endpoint must be an https URL"),
    ("endpoint", "https://push.example/p 1", "data.subscription.endpoint must be an https URL"),
    ("extra", "x", "data.subscription.extra is not known"),
    ("p256dh", "short", "data.subscription.keys.p256dh must be 65 bytes"),
    ("auth", "C!CCCCCCCCCCCCCCCCCCCC", "data.subscription.keys.auth must be 16 bytes"),
  ])
  func e2EachPartIsChecked(name: String, value: String, text: String) throws {
    let refusal = try Self.reading { data in
      var subscription = data["subscription"]?.objectValue ?? [:]
      if ["p256dh", "auth"].contains(name) {
        var keys = subscription["keys"]?.objectValue ?? [:]
        keys[name] = .string(value)
        subscription["keys"] = .object(keys)
      } else {
        subscription[name] = .string(value)
      }
      data["subscription"] = .object(subscription)
    }.refusal
    #expect(refusal?.hasPrefix(text) == true, "\(refusal ?? "it was taken")")
  }
}
