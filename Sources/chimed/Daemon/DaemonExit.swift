import API
import Access
import ArgumentParser
import Engine
import Glibc
import Holidays
import Reminders
import Store
import Systemd

/// How the service ends when it cannot go on: the code tells systemd whether a restart may help
/// (sysexits(3)), the message tells the operator what to do.
struct DaemonExit {
  let code: Int32
  let message: String
  private let kind: MessageKind?

  init(_ error: any Error) {
    message = "\(error)"
    switch error {
    case let error as StoreError: (code, kind) = Self.meaning(of: error)
    case let error as StoreFailure: (code, kind) = (error.isDamage ? 65 : 74, nil)
    case is WebKeyError, is ConfigurationErrors, is HolidayErrors, is ValidationError:
      (code, kind) = (78, .configurationInvalid)
    case is CatalogErrors: (code, kind) = (78, .catalogInvalid)
    case let error as UnsoundConfiguration: (code, kind) = Self.meaning(of: error)
    case let error as NothingToRunWith: (code, kind) = Self.meaning(of: error.flaws)
    default: (code, kind) = (71, .startFailed)
    }
  }

  private static func meaning(of error: UnsoundConfiguration) -> (Int32, MessageKind) {
    let isCatalogs = error.faults.allSatisfy { $0 is CatalogErrors }
    return (78, isCatalogs ? .catalogInvalid : .configurationInvalid)
  }

  private static func meaning(of error: StoreError) -> (Int32, MessageKind) {
    switch error {
    case .inUse: (75, .storeInUse)
    case .damaged, .damagedBackup, .newer: (65, .storeFailed)
    case .unreadableBackup: (66, .storeFailed)
    case .unreadable, .present: (73, .storeFailed)
    case .unreachable, .unusable, .noBackup: (69, .storeFailed)
    case .full, .locked, .failed, .commitUnknown, .notOwner: (74, .storeFailed)
    }
  }

  func report(to journal: Journal) {
    if let kind {
      journal.send(kind, message, fields: [(.reason, message)])
    } else {
      journal.send(message: message, priority: .error)
    }
  }
}

/// The end of a service whose store has failed (rule S7): within ten seconds, whatever hangs.
///
/// Everybody is told at once. Who is in the middle of something has two seconds to hear it; then
/// the connections are cut off, which lets the service end in order. If it does not, it ends so.
enum FailureEnd {
  private static let farewellMilliseconds: Int32 = 2_000
  private static let restMilliseconds: Int32 = 7_000

  static func begin(_ failure: StoreFailure, _ channels: OpenChannels) {
    let code = DaemonExit(failure).code
    do {
      try OperatingSystemThread(name: "failure end") {
        _ = poll(nil, 0, farewellMilliseconds)
        channels.cutOff()
        _ = poll(nil, 0, restMilliseconds)
        _exit(code)
      }.detach()
    } catch {
      // Without a thread nothing can be waited for.
      _exit(code)
    }
  }
}

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
