package import CivilTime
package import Reminders

/// An event that the store contains and a node has to ingest. Either an app has inserted it in its
/// own transaction, or it is a copy of an event for another recipient that the event names. The
/// node that ingested the original event has inserted the copy.
package struct Submission: Hashable, Sendable {
  /// The number of the submission, which gives the order of ingestion. If a submission is committed
  /// after one with a higher number, it may also be ingested after that one.
  package let number: Int64
  /// The instant at which the submission was inserted, by the store's clock.
  package let at: Instant
  /// A CloudEvents 1.0 event in JSON, or an event's `copyText`; nil if an app's event exceeds
  /// `textMax`.
  package let text: String?
  /// Whether the submission is a copy that a node has inserted.
  package let isCopy: Bool

  package init(number: Int64, at: Instant, text: String?, isCopy: Bool = false) {
    (self.number, self.at, self.text, self.isCopy) = (number, at, text, isCopy)
  }

  /// The maximum size of an app's event in bytes, which is the same over HTTP.
  package static let textMax = 1 << 20
}

/// The result of a submission.
package struct FinishedSubmission: Hashable, Sendable {
  package let number: Int64
  /// The reason why the submission was rejected; nil if it was accepted, now or earlier.
  package let refusal: String?

  package init(number: Int64, refusal: String? = nil) {
    (self.number, self.refusal) = (number, refusal)
  }
}

/// A rejected submission, kept for its sender.
package struct RefusedSubmission: Hashable, Sendable {
  /// How long rejected submissions stay in the store.
  package static let span = TimeSpan.days(30)

  package let number: Int64
  /// The instant at which the submission was inserted, by the store's clock.
  package let at: Instant
  /// The event. A long event is cut, and ends with "…".
  package let text: String
  package let reason: String

  package init(number: Int64, at: Instant, text: String, reason: String) {
    (self.number, self.at, self.text, self.reason) = (number, at, text, reason)
  }
}

/// Reads and settles the events that apps insert in their own transactions. Only a store to which
/// other programs can write has such events.
package protocol SubmissionWriter {
  /// Returns the first submissions that wait for recipients of this node.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of submissions.
  ///   - bytes: the total size of texts at which reading stops.
  func submissions(limit: Int, bytes: Int) throws -> [Submission]

  /// Removes finished submissions, and stores rejected ones with their reasons.
  func settle(_ submissions: [FinishedSubmission]) throws

  /// Removes the stored rejected submissions that were inserted before an instant.
  func removeRefusedSubmissions(before end: Instant) throws

  /// Inserts copies of events for recipients of other owners (`Event.copies`), which ingest them
  /// after this unit of work is committed.
  func insertCopies(_ copies: [Event]) throws
}

extension SubmissionWriter {
  package func submissions(limit: Int, bytes: Int) -> [Submission] { [] }

  package func settle(_ submissions: [FinishedSubmission]) {}

  package func removeRefusedSubmissions(before end: Instant) {}

  package func insertCopies(_ copies: [Event]) throws {
    throw StoreError.failed(reason: "a store of a single process has no other owners")
  }
}

extension Store {
  package var acceptsSubmissions: Bool { false }
}

extension StoreReader {
  package func refusedSubmissions(
    of recipient: String, after number: Int64, bytes: Int
  ) -> [RefusedSubmission] { [] }
}
