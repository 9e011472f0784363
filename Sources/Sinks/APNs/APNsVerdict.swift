package import CivilTime
internal import JSON

/// What an answer of Apple means ("Handling notification responses from APNs").
package struct APNsVerdict: Sendable {
  package enum Meaning: Hashable, Sendable {
    case outcome(PushResult.Outcome)
    /// The provider token is not taken; why.
    case unauthorized(String)
  }

  package let meaning: Meaning
  /// Apple's own word.
  package let word: String?

  /// How long Apple wants those to wait whom it could not serve.
  private static let serverWait = TimeSpan.minutes(15)

  /// - Parameter registered: when the app last said that the device is there.
  package init(_ response: ExchangeResponse, registered: Instant, now: Instant) {
    let body = response.body.isEmpty ? nil : try? JSONParser.parse(response.body)
    word = PushReport.word(body?["reason"]?.stringValue)
    let left = body?["timestamp"]?.integerValue.map { Instant(milliseconds: $0) }
    let name = ["\(response.status)", word].compactMap(\.self).joined(separator: " ")
    let reason = "APNs answers \(name)"
    switch (response.status, word) {
    case (200, _): meaning = .outcome(.delivered)
    case (410, _):
      // Since then it may have come back, which the app would have said.
      let isBack = left.map { $0 < registered } ?? false
      meaning = .outcome(isBack ? .rejected(reason: reason) : .gone(reason: reason))
    default: meaning = Self.meaning(response, word, reason, now)
    }
  }

  private static func meaning(
    _ response: ExchangeResponse, _ word: String?, _ reason: String, _ now: Instant
  ) -> Meaning {
    switch (response.status, word) {
    case (400, "BadDeviceToken"), (400, "DeviceTokenNotForTopic"):
      // Said of every device when "environment" or "topic" is wrong: none is removed for it.
      let advice = ": the device's token is not one of this \"environment\" and \"topic\""
      return .outcome(.rejected(reason: reason + advice))
    case (400, "IdleTimeout"): return .outcome(.retry(after: nil, reason: reason))
    case (400, "BadTopic"), (400, "MissingTopic"), (400, "TopicDisallowed"):
      let advice = ": see that \"topic\" is the app's identifier and belongs to the team"
      return .outcome(.outage(reason: reason + advice))
    case (403, "ExpiredProviderToken"):
      return .unauthorized(reason + ": see that this machine's clock is right")
    case (403, _):
      let advice =
        ": see that \"key\", \"key-id\" and \"team-id\" belong together, that the key "
        + "was not revoked and that it is for this \"environment\""
      return .unauthorized(reason + advice)
    case (429, _): return .outcome(.retry(after: response.retryAfter(now: now), reason: reason))
    case (500...599, _):
      return .outcome(.retry(after: response.retryAfter(now: now) ?? serverWait, reason: reason))
    default: return .outcome(.rejected(reason: reason))
    }
  }
}
