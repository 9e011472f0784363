import NIOCore
import NIOPosix
import Systemd

/// Has the watchdog ask each of the threads that take connections and answer requests whether it
/// comes to what it is handed.
enum EventLoopWatch {
  /// Adds a row to the ledger for each. Where nobody asks, none of them is ever woken for it.
  static func begin(with ledger: ProgressLedger, at now: MonotonicInstant) {
    for (number, loop) in MultiThreadedEventLoopGroup.singleton.makeIterator().enumerated() {
      ledger.register("http thread \(number)", at: now) { progress in
        loop.execute { progress.idle(until: nil) }
      }
    }
  }
}
