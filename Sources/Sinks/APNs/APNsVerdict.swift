package import CivilTime
internal import JSON

/// The meaning of an APNs response (Apple's documentation, "Handling notification responses from
/// APNs").
package struct APNsVerdict: Sendable {
  package enum Meaning: Hashable, Sendable {
    case outcome(PushResult.Outcome)
    /// Apple refused the provider token, for this reason.
    case unauthorized(String)
  }

  package let meaning: Meaning
  /// The error code in the member `reason` of the response; nil if it has none.
  package let word: String?

  /// The retry delay after an error of Apple's server, if the response requests none.
  private static let serverWait = TimeSpan.minutes(15)

  /// - Parameter registered: when the app last registered the device.
  package init(_ response: ExchangeResponse, registered: Instant, now: Instant) {
    let body = response.body.isEmpty ? nil : try? JSONParser.parse(response.body)
    word = PushReport.errorCode(body?["reason"]?.stringValue)
    let unregisteredSince = body?["timestamp"]?.integerValue.map { Instant(milliseconds: $0) }
    let name = ["\(response.status)", word].compactMap(\.self).joined(separator: " ")
    let reason = "APNs answers \(name)"
    switch (response.status, word) {
    case (200, _): meaning = .outcome(.delivered)
    case (410, _):
      // The app may have registered the device again since Apple found it unregistered.
      let isRegisteredAgain = unregisteredSince.map { $0 < registered } ?? false
      meaning = .outcome(isRegisteredAgain ? .rejected(reason: reason) : .gone(reason: reason))
    default: meaning = Self.meaning(response, word, reason, now)
    }
  }

  private static func meaning(
    _ response: ExchangeResponse, _ word: String?, _ reason: String, _ now: Instant
  ) -> Meaning {
    switch (response.status, word) {
    case (400, "BadDeviceToken"), (400, "DeviceTokenNotForTopic"):
      // Apple gives this answer for every device if "environment" or "topic" is wrong, so no device
      // is removed.
      let advice = ": the device's token does not belong to this \"environment\" and \"topic\""
      return .outcome(.rejected(reason: reason + advice))
    case (400, "IdleTimeout"): return .outcome(.retry(after: nil, reason: reason))
    case (400, "BadTopic"), (400, "MissingTopic"), (400, "TopicDisallowed"):
      let advice = ": check that \"topic\" is the app's bundle ID and belongs to the team"
      return .outcome(.outage(reason: reason + advice))
    case (403, "ExpiredProviderToken"):
      return .unauthorized(reason + ": check this machine's clock")
    case (403, _):
      let advice =
        ": check that \"key\", \"key-id\" and \"team-id\" belong together, that the key "
        + "was not revoked and that it is for this \"environment\""
      return .unauthorized(reason + advice)
    case (429, _): return .outcome(.retry(after: response.retryAfter(now: now), reason: reason))
    case (500...599, _):
      return .outcome(.retry(after: response.retryAfter(now: now) ?? serverWait, reason: reason))
    default: return .outcome(.rejected(reason: reason))
    }
  }
}
