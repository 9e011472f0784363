import API
import Access
import ArgumentParser
import Engine
import Glibc
import Holidays
import Reminders
import Store
import Systemd

/// The exit code and message of a service that cannot continue. The code (sysexits(3)) decides
/// whether systemd restarts the service. The message names the remedy.
struct DaemonExit {
  let code: Int32
  /// The message, in one line.
  let message: String
  /// The kind of the journal entry; nil for an entry without a kind.
  private let kind: MessageKind?

  init(_ error: any Error) {
    message = "\(error)".inOneLine
    switch error {
    case let error as StoreError: (code, kind) = Self.codeAndKind(of: error)
    case let error as StoreFailure: (code, kind) = (error.isDamage ? 65 : 74, nil)
    case is WebKeyFileError, is ConfigurationErrors, is HolidayErrors, is ValidationError:
      (code, kind) = (78, .configurationInvalid)
    case is CatalogErrors: (code, kind) = (78, .catalogInvalid)
    case let error as InvalidConfigurationError: (code, kind) = Self.codeAndKind(of: error)
    case let error as NoConfigurationError: (code, kind) = Self.codeAndKind(of: error.flaws)
    default: (code, kind) = (71, .startFailed)
    }
  }

  private static func codeAndKind(of error: InvalidConfigurationError) -> (Int32, MessageKind) {
    let isCatalogs = error.faults.allSatisfy { $0 is CatalogErrors }
    return (78, isCatalogs ? .catalogInvalid : .configurationInvalid)
  }

  private static func codeAndKind(of error: StoreError) -> (Int32, MessageKind) {
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

/// Ends a service whose store has failed (rule S7) within ten seconds, even if a subsystem hangs.
///
/// Waiting requests are answered immediately. Replies in progress have two seconds; then all
/// connections are closed, so that the service can end in order. If it has not ended seven seconds
/// later, the process exits.
enum FailureEnd {
  private static let graceMilliseconds: Int32 = 2_000
  private static let exitMilliseconds: Int32 = 7_000

  static func begin(_ failure: StoreFailure, _ channels: OpenChannels) {
    let code = DaemonExit(failure).code
    do {
      try OperatingSystemThread(name: "failure end") {
        _ = poll(nil, 0, graceMilliseconds)
        channels.cutOff()
        _ = poll(nil, 0, exitMilliseconds)
        _exit(code)
      }.detach()
    } catch {
      // Without a thread, the process cannot wait.
      _exit(code)
    }
  }
}

/// The signals that the service handles: SIGTERM, SIGINT and SIGHUP.
enum ServiceSignals {
  private static let all = [SIGTERM, SIGINT, SIGHUP]

  /// Blocks the signals for this thread and the threads that it starts.
  static func block() { mask(SIG_BLOCK) }

  /// Unblocks the signals, so that they have their default effects.
  static func unblock() { mask(SIG_UNBLOCK) }

  /// Waits for the next signal on the calling thread and consumes it.
  ///
  /// - Parameter span: the timeout; nil for none.
  /// - Returns: the signal; nil after the timeout.
  static func next(within span: Duration?) -> CInt? {
    var signals = signalSet
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
    var signals = signalSet
    pthread_sigmask(change, &signals, nil)
  }

  private static var signalSet: sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in all { sigaddset(&signals, signal) }
    return signals
  }
}
