package import CivilTime
import Foundation
package import Outbox

/// What the answers of a service mean, where it is not what they mean everywhere.
package struct AnswerRules: Hashable, Sendable {
  var delivered: [ClosedRange<Int>] = []
  var retry: [ClosedRange<Int>] = []
  var rejected: [ClosedRange<Int>] = []
  /// What an answer that says "delivered" by its status has to have in its first 4 kB.
  var contains: String?
  /// What a rejection has in its first 4 kB if the delivery is to be tried again; any of these.
  var retryWhen: [String] = []

  package init() {}

  package init(reading settings: inout SinkSettings) {
    delivered = Self.ranges("delivered", &settings)
    retry = Self.ranges("retry", &settings)
    rejected = Self.ranges("rejected", &settings)
    contains = settings.text("contains")
    retryWhen = settings.texts("retry-when")
  }

  /// `[202, 500-599]`.
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

  /// - Parameters:
  ///   - place: where the answer comes from.
  ///   - isOfOne: whether others may be taken where this one is refused.
  package func handover(
    _ reply: HTTPReply, place: String, answer: SinkAnswer, isOfOne: Bool
  ) -> Handover {
    guard isUnauthorized(reply), !isOfOne else { return .answered(answer) }
    // What is refused to all of us will be given once somebody has mended the secret.
    return .unreachable("\(place): \(Self.notTaken)")
  }

  private static let notTaken = "it does not take what we show it (401); look at the secrets"

  /// Whether it refuses what we show it, unless the configuration says what that status means.
  private func isUnauthorized(_ reply: HTTPReply) -> Bool {
    reply.status == 401
      && ![delivered, retry, rejected].joined().contains { $0.contains(reply.status) }
  }

  package func verdict(_ reply: HTTPReply, now: Instant) -> SinkAnswer.Verdict {
    let verdict = verdict(byStatusOf: reply, now: now)
    guard case .rejected = verdict,
      let text = retryWhen.first(where: { reply.beginning.firstRange(of: Array($0.utf8)) != nil })
    else { return verdict }
    return .retry(
      after: reply.retryAfter(now: now), reason: "\(reply.status), with \"\(text)\"")
  }

  private func verdict(byStatusOf reply: HTTPReply, now: Instant) -> SinkAnswer.Verdict {
    if isUnauthorized(reply) {
      return .retry(after: reply.retryAfter(now: now), reason: Self.notTaken)
    }
    let usual = reply.verdict(now: now)
    if rejected.contains(where: { $0.contains(reply.status) }) {
      return .rejected(reason: "\(reply.status)")
    }
    if retry.contains(where: { $0.contains(reply.status) }) {
      return .retry(after: reply.retryAfter(now: now), reason: "\(reply.status)")
    }
    let isDelivered = usual == .delivered || delivered.contains { $0.contains(reply.status) }
    return isDelivered ? verdict(onBodyOf: reply) : usual
  }

  /// What an answer means that says "delivered" by its status.
  private func verdict(onBodyOf reply: HTTPReply) -> SinkAnswer.Verdict {
    guard let contains, reply.beginning.firstRange(of: Array(contains.utf8)) == nil else {
      return .delivered
    }
    // What broke off may have said so: nobody knows.
    guard reply.isBeginningWhole else {
      return .retry(
        after: nil, reason: "\(reply.status), but it broke off before what \"contains\" asks for")
    }
    return .rejected(reason: "\(reply.status), but without what \"contains\" asks for")
  }
}
