import Access
import Outbox

/// A batch that is being sent to a mail server: the next mails and the answers so far.
struct MailRound {
  /// The answers by the index of the mail; nil before the mail has one.
  private var answers: [SinkAnswer?]
  /// The indices of mails that are neither in flight nor answered, the next one last.
  private var unsent: [Int]
  /// The latest outage that a connection reported; nil if none did.
  private var outage: SinkOutage?
  /// Whether the server has answered a mail.
  private var wasServerReached = false
  private let progress: BatchProgress

  init(count: Int, _ progress: BatchProgress) {
    self.progress = progress
    answers = Array(repeating: nil, count: count)
    unsent = (0..<count).reversed()
  }

  /// Whether all mails have been started.
  var areAllStarted: Bool { unsent.isEmpty }

  /// Returns the index of the next mail to start.
  mutating func next() -> Int? { unsent.popLast() }

  /// Records the answer to a mail.
  mutating func recordAnswer(_ index: Int, _ answer: SinkAnswer) {
    answers[index] = answer
    progress.answer(index, answer)
  }

  /// Records the server's verdict on a started mail.
  ///
  /// - Returns: whether the mail's connection can be used again. If not, another connection sends
  ///   the mail, because a server may accept fewer connections than are configured.
  mutating func finish(_ index: Int, _ verdict: MailVerdict) -> Bool {
    switch verdict {
    case .answer(let answer):
      wasServerReached = true
      recordAnswer(index, answer)
      return true
    case .outage(let outage):
      self.outage = outage
      // Put the mail last, because the mail itself may cause the outage.
      unsent.insert(index, at: 0)
      return false
    }
  }

  /// Returns the answers. A mail without an answer gets a retry.
  ///
  /// - Throws: the outage that kept mails unsent, if the server has answered no mail.
  func result() throws(SinkOutage) -> [SinkAnswer] {
    if let outage, !wasServerReached, !unsent.isEmpty { throw outage }
    let reason = outage?.description ?? "the mail was not attempted"
    return answers.map { $0 ?? .retry(after: nil, reason: reason) }
  }
}

/// Creates links that unsubscribe a recipient from a category's e-mail (RFC 8058).
struct UnsubscribeLinks: Sendable {
  /// The address of links, before the path.
  let base: PublicURL
  /// Creates a token for a recipient and a category; nil if the category cannot be switched off.
  let token: @Sendable (String, String) -> String?

  func link(recipient: String, category: String) -> MailLink? {
    token(recipient, category).flatMap { MailLink("\(base)/unsubscribe/\($0)") }
  }
}
