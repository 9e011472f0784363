import Systemd

extension MonotonicInstant {
  /// The instant so many seconds after a test's epoch.
  static func second(_ second: Int) -> MonotonicInstant { epoch.advanced(by: .seconds(second)) }
}
