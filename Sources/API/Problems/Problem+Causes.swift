import Engine
import HTTPTypes
import JSON
import Reminders

extension Problem {
  /// Why an event was not taken in.
  init(_ refusal: Refusal) {
    let kind: ProblemKind =
      switch refusal.kind {
      case .malformed: .malformedEvent
      case .unacceptable: .unacceptableEvent
      case .conflict: .conflictingEvent
      case .overfull: .tooMuchWaiting
      }
    self.init(kind, refusal.description, path: refusal.path.isEmpty ? nil : refusal.path)
  }

  /// Why a document could not be read.
  init(_ error: JSONError) {
    self.init(.malformedText, "\(error); nothing was taken in", path: error.path)
  }

  /// Why a line of a stream could not be read; the line's own number is told beside it.
  init(inLine error: JSONError) {
    let place = error.column.map { "column \($0): \(error.reason)" }
    self.init(.malformedText, place ?? error.description, path: error.path)
  }

  init(_ error: ServiceUnavailable) {
    switch error.kind {
    case .storageFull: self.init(.storageFull, error.description)
    case .stopping: self.init(.unavailable, error.description, headers: [.retryAfter: "5"])
    case .clockBehind: self.init(.unavailable, error.description, headers: [.retryAfter: "60"])
    case .overloaded: self.init(.unavailable, error.description, headers: [.retryAfter: "1"])
    }
  }
}
