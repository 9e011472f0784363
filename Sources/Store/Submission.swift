package import CivilTime
package import Reminders

/// An event that an app has left in the store, in a transaction of its own; or the copy of an event
/// for somebody whom it names, which the node that took the event in has left.
package struct Submission: Hashable, Sendable {
  /// They come in this order, but for what was committed later than what comes behind it.
  package let number: Int64
  package let at: Instant
  /// A CloudEvents 1.0 event in JSON, or an event's `copyText`; nil if an app's has more bytes than
  /// `textMax`, which is not read.
  package let text: String?
  /// Whether a node has left it.
  package let isCopy: Bool

  package init(number: Int64, at: Instant, text: String?, isCopy: Bool = false) {
    (self.number, self.at, self.text, self.isCopy) = (number, at, text, isCopy)
  }

  /// How many bytes an app's event has at most, as by HTTP.
  package static let textMax = 1 << 20
}

/// What became of one.
package struct SettledSubmission: Hashable, Sendable {
  package let number: Int64
  /// Why it is not taken in; nil if it is, or was before.
  package let refusal: String?

  package init(number: Int64, refusal: String? = nil) {
    (self.number, self.refusal) = (number, refusal)
  }
}

/// One that was not taken in, which is kept for those who have to mend it.
package struct RefusedSubmission: Hashable, Sendable {
  package let number: Int64
  package let at: Instant
  package let text: String
  package let reason: String

  package init(number: Int64, at: Instant, text: String, reason: String) {
    (self.number, self.at, self.text, self.reason) = (number, at, text, reason)
  }
}

/// Takes in what apps have left in the store in transactions of their own, where a store is one
/// that others write to as well.
package protocol SubmissionWriter {
  /// The first of those that wait for recipients of this node.
  ///
  /// - Parameters:
  ///   - limit: how many at most.
  ///   - bytes: none is read behind the one with which the texts have this many bytes.
  func submissions(limit: Int, bytes: Int) throws -> [Submission]

  /// Ends what waits of some, and keeps those that are refused, each with its reason, for as long
  /// as a span says.
  func settle(_ submissions: [SettledSubmission], now: Instant, keeping span: TimeSpan) throws

  /// Leaves what events tell people of other owners (`Event.copies`), for these to take in: they
  /// find it once this unit of work is committed, and not before.
  func leave(_ copies: [Event]) throws
}

extension SubmissionWriter {
  package func submissions(limit: Int, bytes: Int) -> [Submission] { [] }

  package func settle(_ submissions: [SettledSubmission], now: Instant, keeping span: TimeSpan) {}

  package func leave(_ copies: [Event]) throws {
    throw StoreError.failed(reason: "the store is one process's, and everybody in it is")
  }
}

extension Store {
  package var takesSubmissions: Bool { false }
}

extension StoreReader {
  package func refusedSubmissions(of recipient: String) -> [RefusedSubmission] { [] }
}
