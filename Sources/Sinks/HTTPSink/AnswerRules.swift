package import CivilTime
import Foundation
package import Outbox

/// The configured meaning of a service's replies, where it differs from the default.
package struct AnswerRules: Hashable, Sendable {
  /// The statuses that mean delivered, in addition to those that mean it by default.
  var delivered: [ClosedRange<Int>] = []
  /// The statuses that mean a retry, even if they mean delivered by default.
  var retry: [ClosedRange<Int>] = []
  /// The statuses that mean a rejection, whatever they mean otherwise.
  var rejected: [ClosedRange<Int>] = []
  /// The text that a reply must contain in its first 4 kB to count as delivered; nil for any.
  var contains: String?
  /// The texts that turn a rejection into a retry, if the first 4 kB of the reply contain one of
  /// them.
  var retryWhen: [String] = []

  package init() {}

  package init(reading settings: inout SinkSettings) {
    delivered = Self.ranges("delivered", &settings)
    retry = Self.ranges("retry", &settings)
    rejected = Self.ranges("rejected", &settings)
    contains = settings.text("contains")
    retryWhen = settings.texts("retry-when")
  }

  /// Parses a list of statuses: `[202, 500-599]`.
  private static func ranges(
    _ key: String, _ settings: inout SinkSettings
  ) -> [ClosedRange<Int>] {
    settings.texts(key).compactMap { text in
      let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
      guard let first = parts[0], let last = parts.count == 2 ? parts[1] : first,
        parts.count <= 2, 200...599 ~= first, first...599 ~= last
      else {
        settings.refuse(
          key, "has \"\(text)\"; write statuses from 200 to 599, such as 202 or 500-599")
        return nil
      }
      return first...last
    }
  }

  /// Returns the result of a delivery. A 401 that concerns all deliveries is an outage.
  ///
  /// - Parameters:
  ///   - origin: the origin of the request's URL, for the reason of an outage.
  ///   - mayConcernOneDelivery: whether the cause of a 401 may be this delivery alone.
  package func result(
    _ reply: HTTPReply, origin: String, answer: SinkAnswer, mayConcernOneDelivery: Bool
  ) -> SendResult {
    guard isUnauthorized(reply), !mayConcernOneDelivery else { return .answered(answer) }
    // The deliveries can be sent when the secret is corrected.
    return .unreachable("\(origin): \(Self.unauthorizedReason)")
  }

  private static let unauthorizedReason = "it refuses the credentials (401); check the secrets"

  /// Whether the reply is a 401 for which the configuration declares no meaning.
  private func isUnauthorized(_ reply: HTTPReply) -> Bool {
    reply.status == 401
      && ![delivered, retry, rejected].joined().contains { $0.contains(reply.status) }
  }

  /// Returns the verdict on a delivery by the reply's status and the beginning of its body.
  package func verdict(_ reply: HTTPReply, now: Instant) -> SinkAnswer.Verdict {
    let verdict = verdict(byStatusOf: reply, now: now)
    guard case .rejected = verdict,
      let text = retryWhen.first(where: { reply.beginning.firstRange(of: Array($0.utf8)) != nil })
    else { return verdict }
    let isQuoted = text.hasPrefix("\"") && text.hasSuffix("\"")
    let quotation = isQuoted ? text : "\"\(text)\""
    return .retry(after: reply.retryAfter(now: now), reason: "\(reply.status), with \(quotation)")
  }

  private func verdict(byStatusOf reply: HTTPReply, now: Instant) -> SinkAnswer.Verdict {
    if isUnauthorized(reply) {
      return .retry(after: reply.retryAfter(now: now), reason: Self.unauthorizedReason)
    }
    let defaultVerdict = reply.verdict(now: now)
    if rejected.contains(where: { $0.contains(reply.status) }) {
      return .rejected(reason: "\(reply.status)")
    }
    if retry.contains(where: { $0.contains(reply.status) }) {
      return .retry(after: reply.retryAfter(now: now), reason: "\(reply.status)")
    }
    let isDelivered =
      defaultVerdict == .delivered || delivered.contains { $0.contains(reply.status) }
    return isDelivered ? verdict(onBodyOf: reply) : defaultVerdict
  }

  /// Returns the verdict on a reply whose status means delivered.
  private func verdict(onBodyOf reply: HTTPReply) -> SinkAnswer.Verdict {
    guard let contains, reply.beginning.firstRange(of: Array(contains.utf8)) == nil else {
      return .delivered
    }
    // The missing part of the body may contain the text.
    guard reply.isBeginningComplete else {
      return .retry(
        after: nil,
        reason: "\(reply.status), but its body broke off before the text of \"contains\"")
    }
    return .rejected(reason: "\(reply.status), but without the text of \"contains\"")
  }
}
