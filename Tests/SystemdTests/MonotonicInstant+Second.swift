import Systemd

extension MonotonicInstant {
  /// An instant of a test's own clock.
  static func second(_ second: Int) -> MonotonicInstant { epoch.advanced(by: .seconds(second)) }
}
