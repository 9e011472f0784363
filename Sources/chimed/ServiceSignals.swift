import Glibc
import UnixSignals

/// The signals that the service obeys instead of dying of them.
enum ServiceSignals {
  static let all: [UnixSignal] = [.sigterm, .sigint, .sighup]

  /// Keeps them waiting, for this thread and those it starts, until they are trapped or released.
  static func hold() { mask(SIG_BLOCK) }

  /// Lets those that wait and those to come do what they do to any program.
  static func release() { mask(SIG_UNBLOCK) }

  private static func mask(_ change: CInt) {
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in all { sigaddset(&signals, signal.rawValue) }
    pthread_sigmask(change, &signals, nil)
  }
}
