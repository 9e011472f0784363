package import CivilTime
internal import JSON

/// The meaning of an FCM response, by Google's reference of FCM's error codes.
package struct FCMVerdict: Sendable {
  package enum Meaning: Hashable, Sendable {
    case outcome(PushResult.Outcome)
    /// FCM refused the access token.
    case unauthorized
  }

  package let meaning: Meaning
  /// The error code of the response, or else its status, such as `UNAVAILABLE`; nil if it has
  /// neither.
  package let errorCode: String?

  /// The retry delay after exceeding FCM's quota, if the response gives none.
  private static let quotaWait = TimeSpan.seconds(60)

  package init(_ response: ExchangeResponse, now: Instant) {
    guard response.status != 200 else {
      meaning = .outcome(.delivered)
      errorCode = nil
      return
    }
    let error = FCMError(response.body)
    errorCode = error.code ?? error.status
    meaning = Self.meaning(of: response, error, now)
  }

  private static func meaning(
    of response: ExchangeResponse, _ error: FCMError, _ now: Instant
  ) -> Meaning {
    let name = ["\(response.status)", error.code ?? error.status].compactMap(\.self)
    let reason = "FCM answers " + name.joined(separator: " ")
    if error.code == "UNREGISTERED" { return .outcome(.gone(reason: reason)) }
    switch response.status {
    case 400:
      return .outcome(error.isAboutToken ? .gone(reason: reason) : .rejected(reason: reason))
    case 401 where error.code == "THIRD_PARTY_AUTH_ERROR":
      let advice = ": renew the keys of the device's push service in the Firebase project"
      return .outcome(.retry(after: response.retryAfter(now: now), reason: reason + advice))
    case 401: return .unauthorized
    case 403 where error.code == "SENDER_ID_MISMATCH":
      let advice = ": the device registered with another Firebase project"
      return .outcome(.rejected(reason: reason + advice))
    case 403:
      let advice =
        ": give the service account the right to send messages and enable the "
        + "Firebase Cloud Messaging API in this project"
      return .outcome(.outage(reason: reason + advice))
    case 404: return .outcome(.outage(reason: reason + ": check \"project\""))
    case 429:
      return .outcome(.retry(after: response.retryAfter(now: now) ?? quotaWait, reason: reason))
    case 408, 500...599:
      return .outcome(.retry(after: response.retryAfter(now: now), reason: reason))
    default: return .outcome(.rejected(reason: reason))
    }
  }
}

/// An error in Google's format (google.rpc.Status).
private struct FCMError {
  /// FCM's own error code, such as `UNREGISTERED`; nil if the error has none.
  var code: String?
  /// Google's general error code, such as `INVALID_ARGUMENT`; nil if the error has none.
  var status: String?
  /// Whether the device's token is invalid.
  var isAboutToken = false

  init(_ body: [UInt8]) {
    guard let error = (try? JSONParser.parse(body))?["error"] else { return }
    status = PushReport.errorCode(error["status"]?.stringValue)
    let details = error["details"]?.arrayValue ?? []
    code = PushReport.errorCode(details.lazy.compactMap { $0["errorCode"]?.stringValue }.first)
    let violations = details.flatMap { $0["fieldViolations"]?.arrayValue ?? [] }
    let message = error["message"]?.stringValue ?? ""
    isAboutToken =
      violations.contains { $0["field"]?.stringValue == "message.token" }
      || code == "INVALID_ARGUMENT" && violations.isEmpty && message.contains("registration token")
  }
}
