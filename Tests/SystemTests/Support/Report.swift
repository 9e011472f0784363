import CivilTime
import Glibc

/// The events that tests report.
enum Report {
  /// The reminder that `milestone.reached` of 7 days causes one second after its time.
  static let reminder = "milestone-7"

  static func milestone(_ identifier: String, of recipient: String, at time: Instant) -> String {
    """
    {"specversion":"1.0","id":"\(identifier)","source":"tests","type":"milestone.reached",\
    "subject":"\(recipient)","time":"\(time)","data":{"days":7}}
    """
  }

  /// Requests a notification.
  ///
  /// - Parameters:
  ///   - channels: in the notation of JSON: `"push","email"`.
  ///   - members: additional members of the data, in JSON, each after a comma.
  static func note(
    _ title: String, to recipient: String = "r1", by channels: String = #""push""#,
    _ members: String = ""
  ) -> String {
    event(
      title, "notification.requested", of: recipient,
      """
      {"category":"NOTE","title":"\(title)","body":"A note.","channels":[\(channels)]\(members)}
      """)
  }

  static func event(
    _ identifier: String, _ type: String, of recipient: String = "r1", _ data: String
  ) -> String {
    """
    {"specversion":"1.0","id":"\(identifier)","source":"tests","type":"\(type)",\
    "subject":"\(recipient)","data":\(data)}
    """
  }

  static func batch(_ events: [String]) -> String {
    "[" + events.joined(separator: ",") + "]"
  }

  /// The current time of the system's clock.
  static var now: Instant {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Instant(milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
  }

  /// The time of a milestone whose reminder is due now.
  static var overdue: Instant { now - .seconds(1) }
}
