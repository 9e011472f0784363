import Reminders
import Testing

/// Valid and invalid ids of notifications.
@Suite struct NotificationIDTests {
  @Test(arguments: ["k3x-1", "k3x-17", "a-0", "1-1", "k3x-9223372036854775807", "two-parts-5"])
  func `E5: a valid id is parsed, and its description is the same text`(text: String) throws {
    let identifier = try #require(NotificationID(text))
    #expect(identifier.description == text)
    #expect(NotificationID(text, of: identifier.instance) == identifier)
    #expect(NotificationID(text, of: identifier.instance + "x") == nil)
  }

  @Test(arguments: [
    "", "-", "k3x", "k3x-", "-1", "k3x--1", "k3x-+1", "k3x-01", "k3x-00", "k3x-1 ", " k3x-1",
    "k3x- 1", "k3x-1x", "k3x-0x1", "k3x-1.0", "k3x-1\n", "k3x-1\0", "k3x-1e3", "k3x-\u{661}",
    "k3x-\u{ff11}", "k3x-1\u{301}", "k3x-9223372036854775808", "k3x-18446744073709551617",
    "k3x-00000000000000000001", "k3x-99999999999999999999", "k3x-1-", "k3x-1-push", "k3x-1.push",
  ])
  func `E5: a text that is not an id is rejected`(text: String) {
    #expect(NotificationID(text, of: "k3x") == nil)
  }

  @Test func `an id of another store is rejected`() {
    for text in ["k3y-1", "k3-1", "K3X-1", "xk3x-1", "k3x-k3x-1", "k3\u{445}-1"] {
      #expect(NotificationID(text, of: "k3x") == nil, "\(text)")
    }
    #expect(NotificationID("e\u{301}-1", of: "\u{e9}") == nil)
  }

  @Test func `a substring is parsed as an id`() {
    let text = "k3x-17.push"
    #expect(NotificationID(text.prefix(6)) == NotificationID("k3x", 17))
  }
}
