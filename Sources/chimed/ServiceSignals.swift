import Glibc

/// The signals that the service obeys instead of dying of them.
enum ServiceSignals {
  private static let all = [SIGTERM, SIGINT, SIGHUP]

  /// Keeps them waiting, for this thread and those it starts, until they are taken or released.
  static func hold() { mask(SIG_BLOCK) }

  /// Lets those that wait and those to come do what they do to any program.
  static func release() { mask(SIG_UNBLOCK) }

  /// Waits for the next of them and takes it, by the thread that asks.
  ///
  /// - Parameter span: how long at most; nil for as long as it takes.
  /// - Returns: nil if there was none within it.
  static func next(within span: Duration?) -> CInt? {
    var signals = set
    guard let span else {
      while true {
        let signal = sigwaitinfo(&signals, nil)
        if signal > 0 { return signal }
      }
    }
    let (seconds, rest) = span.components
    var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(rest / 1_000_000_000))
    let signal = sigtimedwait(&signals, nil, &time)
    return signal > 0 ? signal : nil
  }

  private static func mask(_ change: CInt) {
    var signals = set
    pthread_sigmask(change, &signals, nil)
  }

  private static var set: sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in all { sigaddset(&signals, signal) }
    return signals
  }
}
