import CivilTime
import JSON
import Reminders
import Testing

/// Rule E2: a browser registers with its push subscription.
@Suite struct WebPushSubscriptionTests {
  private static let key = String(repeating: "B", count: 87)
  private static let secret = String(repeating: "C", count: 22)

  /// Reads a browser's registration, whose data `change` has changed.
  private static func read(
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

  /// Reads a browser's registration with other values of some members of its subscription.
  private static func read(
    with values: [String: String]
  ) throws -> (change: DeviceChange?, refusal: String?) {
    try read { data in
      var subscription = data["subscription"]?.objectValue ?? [:]
      var keys = subscription["keys"]?.objectValue ?? [:]
      for (name, value) in values {
        let isKey = ["p256dh", "auth"].contains(name)
        if isKey { keys[name] = .string(value) } else { subscription[name] = .string(value) }
      }
      subscription["keys"] = .object(keys)
      data["subscription"] = .object(subscription)
    }
  }

  @Test func `E2: a browser has a subscription in place of a token`() throws {
    let change = try #require(try Self.read { _ in }.change)
    let subscription = try #require(change.token.flatMap { WebPushSubscription(text: $0) })
    #expect(subscription.endpoint == "https://push.example/p/1")
    #expect(subscription.key == Self.key)
    #expect(subscription.secret == Self.secret)
  }

  @Test(arguments: ["", "=", "=="])
  func `E2: padding is not part of a key`(padding: String) throws {
    let change = try Self.read(with: ["p256dh": Self.key + padding]).change
    #expect(change?.token.flatMap { WebPushSubscription(text: $0) }?.key == Self.key)
  }

  @Test(arguments: [
    "https://push.example", "https://push.example:1/a:b@c", "https://push.example:65535?a",
    "https://127.0.0.1/", "https://[2001:db8::1]:444/p", "https://a_b-c.example/%20",
  ])
  func `E2: a valid endpoint is accepted`(endpoint: String) throws {
    let reading = try Self.read(with: ["endpoint": endpoint])
    #expect(reading.change != nil, "\(reading.refusal ?? "")")
  }

  /// These endpoints are invalid: each push to one of them would fail.
  @Test(arguments: [
    "https://", "https:///p", "https://:443/p", "https://?p", "https://push..example/",
    "https://push.example./", "https://push.example:/p", "https://push.example:0/p",
    "https://push.example:65536/p", "https://push.example:4x/p", "https://push.example:-1/p",
    "https://me@push.example/p", "https://me:secret@push.example/p", "https://[::1/p",
    "https://[]/p", "https://[::1]x/p", "https://push.example/p#q", "https://push.ex\\ample/p",
  ])
  func `E2: an invalid endpoint is refused`(endpoint: String) throws {
    let refusal = try Self.read(with: ["endpoint": endpoint]).refusal
    #expect(refusal?.hasPrefix("data.subscription.endpoint must be an https URL") == true)
  }

  @Test(
    arguments: [
      (["platform": "ios"], "data.subscription comes from a browser"),
      (["token": "t"], "data.subscription comes from a browser"),
      (["subscription": "x"], "data.subscription must be the result of"),
      (
        ["subscription": ["endpoint": "https://a.example/"]],
        "data.subscription must be the result of"
      ),
      (["subscription": nil], "data.token is missing"),
    ] as [(JSONObject, String)])
  func `E2: an invalid subscription is refused`(changes: JSONObject, text: String) throws {
    let refusal = try Self.read { data in
      for change in changes { data[change.key] = change.value }
    }.refusal
    #expect(refusal?.hasPrefix(text) == true, "\(refusal ?? "it was accepted")")
  }

  @Test(arguments: [
    ("endpoint", "http://push.example/p/1", "data.subscription.endpoint must be an https URL"),
    ("endpoint", "https://push.example/p 1", "data.subscription.endpoint must be an https URL"),
    ("extra", "x", "data.subscription.extra is not known"),
    ("p256dh", "short", "data.subscription.keys.p256dh must be 65 bytes"),
    ("p256dh", key + "=junk=", "data.subscription.keys.p256dh must be 65 bytes"),
    ("p256dh", "A" + key.dropFirst(), "data.subscription.keys.p256dh must be 65 bytes"),
    ("p256dh", key.dropLast() + "+", "data.subscription.keys.p256dh must be 65 bytes"),
    ("auth", "C!CCCCCCCCCCCCCCCCCCCC", "data.subscription.keys.auth must be 16 bytes"),
    ("auth", secret + "=a=", "data.subscription.keys.auth must be 16 bytes"),
  ])
  func `E2: each member of a subscription is checked`(
    name: String, value: String, text: String
  ) throws {
    let refusal = try Self.read(with: [name: value]).refusal
    #expect(refusal?.hasPrefix(text) == true, "\(refusal ?? "it was accepted")")
  }
}
