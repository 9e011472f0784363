import Access
import ArgumentParser
import Engine
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
    guard !error.faults.isEmpty else { return (71, .startFailed) }
    let isCatalogs = error.faults.allSatisfy { $0 is CatalogErrors } && error.outages.isEmpty
    return (78, isCatalogs ? .catalogInvalid : .configurationInvalid)
  }

  private static func meaning(of error: StoreError) -> (Int32, MessageKind) {
    switch error {
    case .inUse: (75, .storeInUse)
    case .damaged, .newer: (65, .storeFailed)
    case .unreadableBackup: (66, .storeFailed)
    case .unreadable, .present: (73, .storeFailed)
    case .full, .failed: (74, .storeFailed)
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
