import Systemd

extension MonotonicInstant {
  /// Returns the instant that is `second` seconds after `epoch`.
  static func second(_ second: Int) -> MonotonicInstant { epoch.advanced(by: .seconds(second)) }
}
