import CivilTime
import Engine
import JSON
import Reminders
import Testing

@testable import API

/// The endpoints of the UrbanNest app's notification settings, and the server's part of its
/// acceptance list (rules H2, P1 to P3, P6, P7).
@Suite(.timeLimit(.minutes(1))) struct CustomerTests {
  private static let path = "/customers/c1/notification-preferences"

  private func serving(
    _ body: @Sendable @escaping (TestServer, FakeService) async throws -> Void
  ) async throws {
    let service = try FakeService(Fixtures.urbannest)
    try await TestServer.serving(service) { try await body($0, service) }
  }

  /// Returns the preferences in the app's JSON.
  private func preferences(_ server: TestServer) async throws -> JSONObject {
    let reply = try await server.get(Self.path)
    #expect(reply.status == 200)
    let json = try reply.json
    #expect(json["success"] == true)
    return try #require(json["data"]?.objectValue)
  }

  // MARK: - Preferences load correctly

  @Test func `the reply for a new customer has the defaults in the app's envelope`() async throws {
    try await serving { server, _ in
      let reply = try await server.get(Self.path)
      #expect(
        reply.text == """
          {"success":true,"data":{"push":{"enabled":true,"bookingUpdates":true,\
          "paymentNotifications":true,"promotions":false,"serviceReminders":true,\
          "providerUpdates":true,"reviewReminders":true},"email":{"enabled":true,\
          "bookingConfirmations":true,"invoices":true,"weeklySummary":true,"promotions":false,\
          "newsletter":false},"sms":{"enabled":true,"bookingConfirmations":true,\
          "serviceReminders":true,"paymentUpdates":true},"dnd":{"enabled":false,\
          "startTime":"21:00","endTime":"08:00"},"inApp":{"sound":true,"vibration":true,\
          "badgeCount":true}}}
          """)
    }
  }

  // MARK: - Preferences save to backend

  @Test func `written preferences are loaded again as the screen wrote them`() async throws {
    try await serving { server, _ in
      var screen = try await preferences(server)
      for member in ["push.promotions", "email.newsletter", "dnd.enabled"] {
        screen.set(true, at: member)
      }
      for member in ["inApp.sound", "inApp.vibration", "inApp.badgeCount", "push.bookingUpdates"] {
        screen.set(false, at: member)
      }
      screen.set("22:30", at: "dnd.startTime")
      let body = String(decoding: JSONWriter.canonical(.object(screen)), as: UTF8.self)
      let written = try await server.call("PUT", Self.path, body: body)
      #expect(written.status == 200)
      #expect(written.text == #"{"success":true,"message":"Notification preferences updated"}"#)
      #expect(try await preferences(server) == screen)
    }
  }

  @Test func `writing unchanged preferences records no event`() async throws {
    try await serving { server, service in
      let screen = try await preferences(server)
      let body = String(decoding: JSONWriter.canonical(.object(screen)), as: UTF8.self)
      #expect(try await server.call("PUT", Self.path, body: body).status == 200)
      #expect(service.groups == [])
    }
  }

  // MARK: - Master toggles disable and enable categories

  @Test func `P2: a master switched on again leaves its categories as they were`() async throws {
    try await serving { server, _ in
      let before = try await preferences(server)
      for isOn in [false, true] {
        let body = #"{"push":{"enabled":\#(isOn)}}"#
        #expect(try await server.call("PUT", Self.path, body: body).status == 200)
      }
      #expect(try await preferences(server) == before)
    }
  }

  // MARK: - Time validation

  @Test(arguments: [
    #"{"dnd":{"enabled":true,"startTime":"08:00","endTime":"08:00"}}"#,
    #"{"dnd":{"startTime":"08:00"}}"#,
  ])
  func `P7: equal times are refused with the app's message`(body: String) async throws {
    try await serving { server, service in
      let reply = try await server.call("PUT", Self.path, body: body)
      #expect(reply.status == 422)
      #expect(
        reply.text == #"{"success":false,"message":"Start and end time cannot be the same"}"#)
      #expect(service.groups == [])
    }
  }

  // MARK: - The one-time password is always on

  @Test(arguments: ["otp", "otpVerification", "OTP"])
  func `P3: a locked category has no switch`(member: String) async throws {
    try await serving { server, service in
      #expect(try await preferences(server)["sms"]?[member] == nil)
      let body = #"{"sms":{"\#(member)":false}}"#
      let reply = try await server.call("PUT", Self.path, body: body)
      #expect(reply.status == 422)
      #expect(try reply.json["success"] == false)
      #expect(try #require(reply.json["message"]?.stringValue).contains("sms.\(member)"))
      #expect(service.groups == [])
    }
  }

  @Test(arguments: [
    ("{", 400), ("[]", 400), (#"{"push":true}"#, 422), (#"{"pusch":{}}"#, 422),
    (#"{"push":{"enabled":"yes"}}"#, 422), (#"{"dnd":{"startTime":"24:01"}}"#, 422),
  ])
  func `an invalid write is refused in the envelope and changes nothing`(body: String, status: Int)
    async throws
  {
    try await serving { server, service in
      let reply = try await server.call("PUT", Self.path, body: body)
      #expect(reply.status == status)
      #expect(try reply.json["success"] == false)
      #expect(try reply.json["message"]?.stringValue?.isEmpty == false)
      #expect(service.groups == [])
    }
  }

  @Test func `H2: the API document's 422 answer refers to preferences`() async throws {
    try await serving { server, _ in
      let paths = try await server.get("/openapi.json").json["paths"]
      let template = "/customers/{customer}/notification-preferences"
      let refused = paths?[template]?["put"]?["responses"]?["422"]
      #expect(refused?["description"] == "The preferences are not acceptable")
    }
  }

  // MARK: - FCM token registration

  @Test func `a device token replaces the device's previous one`() async throws {
    try await serving { server, service in
      for token in ["first", "second"] {
        let body = #"{"token":"\#(token)","platform":"ios","deviceId":"d1"}"#
        let reply = try await server.call("POST", "/customers/c1/fcm-token", body: body)
        #expect(reply.status == 200)
        #expect(reply.text == #"{"success":true}"#)
      }
      let customer = try await service.answer(RecipientQuery("c1"))
      let devices = try #require(customer).facts.devices
      #expect(devices.map(\.token) == ["second"])
    }
  }

  @Test(arguments: [
    (#"{"token":"t","platform":"ios"}"#, "deviceId"),
    (#"{"token":"t","platform":"palm","deviceId":"d"}"#, "platform"),
    (#"{"token":"","platform":"ios","deviceId":"d"}"#, "token"),
    (#"{"token":"t","platform":"ios","deviceId":"d","more":1}"#, "more"),
  ])
  func `an invalid device token is refused with the name of the wrong member`(
    body: String, member: String
  ) async throws {
    try await serving { server, service in
      let reply = try await server.call("POST", "/customers/c1/fcm-token", body: body)
      #expect(reply.status == 422)
      let message = try #require(reply.json["message"]?.stringValue)
      #expect(message.hasPrefix(member))
      #expect(service.groups == [])
    }
  }

  // MARK: - Without the catalog

  @Test func `without the app's catalog the endpoints answer 404`() async throws {
    try await TestServer.serving(try FakeService()) { server in
      let reply = try await server.get(Self.path)
      #expect(reply.status == 404)
      #expect(try #require(reply.json["detail"]?.stringValue).contains("urbannest"))
    }
  }
}
