package import CivilTime

/// An event as an app has left it in the store, in a transaction of its own.
package struct Submission: Hashable, Sendable {
  /// They come in this order, but for what was committed later than what comes behind it.
  package let number: Int64
  package let at: Instant
  /// A CloudEvents 1.0 event in JSON.
  package let text: String

  package init(number: Int64, at: Instant, text: String) {
    (self.number, self.at, self.text) = (number, at, text)
  }
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
  /// The first of those that wait, of whom this node answers for.
  func submissions(limit: Int) throws -> [Submission]

  /// Ends what waits of some, and keeps those that are refused, each with its reason, for as long
  /// as a span says.
  func settle(_ submissions: [SettledSubmission], now: Instant, keeping span: TimeSpan) throws
}

extension SubmissionWriter {
  package func submissions(limit: Int) -> [Submission] { [] }

  package func settle(_ submissions: [SettledSubmission], now: Instant, keeping span: TimeSpan) {}
}

extension Store {
  package var takesSubmissions: Bool { false }
}

extension StoreReader {
  package func refusedSubmissions(of recipient: String) -> [RefusedSubmission] { [] }
}
