import Foundation
import Testing

@testable import ChimedClient

/// Scheduled notifications as values for a device (rule N5).
@Suite struct LocalNotificationTests {
  private func notification(at instant: String) throws -> ChimedLocalNotification {
    let text = """
      {"id": "checkin~2026-03-08", "at": "\(instant)", "local": "2026-03-08T21:00:00",
       "reminder": "checkin", "category": "CHECKIN", "title": "T", "body": "B", "silent": true}
      """
    let entry = try ChimedDocument.decode(
      ChimedLocalNotification.Entry.self, from: Data(text.utf8))
    return ChimedLocalNotification(entry)
  }

  @Test func `N5: a local notification has id, texts, thread and time`() throws {
    let notification = try notification(at: "2026-03-09T01:00:30.250Z")
    #expect(notification.id == "checkin~2026-03-08")
    #expect(notification.title == "T" && notification.body == "B")
    #expect(notification.thread == "CHECKIN" && notification.isSilent)
    #expect(notification.date == Date(timeIntervalSince1970: 1_773_018_030.25))
  }

  /// The instant is the second of two equal local times in Berlin, where clocks are set back.
  @Test func `N5: the components are in UTC, so that they name one instant in every zone`() throws {
    let components = try notification(at: "2026-10-25T01:30:05.900Z").components
    #expect(components.timeZone == TimeZone(secondsFromGMT: 0))
    #expect(components.calendar?.identifier == .gregorian)
    #expect([components.year, components.month, components.day] == [2026, 10, 25])
    #expect([components.hour, components.minute, components.second] == [1, 30, 5])
    #expect(components.nanosecond == nil)
    #expect(components.date == Date(timeIntervalSince1970: 1_792_891_805))
  }
}
