package import Outbox
package import Reminders
package import Systemd

/// `type: webpush`: notifications in browsers, each reached at the endpoint of its subscription.
package struct WebPushConfiguration: SinkConfiguration {
  package static let type = "webpush"
  package static let keys: [KeyDescription] =
    [
      .required("key", .secret, "The signing key, of the curve P-256."),
      .required("subject", .text, "The mailto: or https: address for the push services."),
      PushTextSource.key,
    ] + HTTPSettings.keys
  package static let requirement: Requirement? = .device

  /// The name of the credential that holds the key.
  private let key: String
  /// A contact for operators of push services, as a mailto: or https: URL.
  private let subject: String
  private let http: HTTPSettings
  private let isTextFetched: Bool

  package init?(reading settings: inout SinkSettings) {
    isTextFetched = PushTextSource.isFetched(&settings)
    let key = settings.credential("key")
    let subject = settings.text("subject") ?? ""
    http = HTTPSettings(reading: &settings)
    if !["mailto:", "https://"].contains(where: { subject.hasPrefix($0) }) {
      settings.refuse(
        "subject", "must be a contact: mailto:you@example.org, or an https URL")
    }
    guard let key else { return nil }
    self.key = key
    self.subject = subject
  }

  package var credentialNames: [String] { [key] }
  package var files: [String] { http.authorities.map { [$0] } ?? [] }

  package func check(credentials: Credentials) throws {
    try http.check()
    _ = try vapidKey(credentials)
  }

  private func vapidKey(_ credentials: Credentials) throws -> VAPIDKey {
    guard let key = VAPIDKey(try credentials.read(key), subject: subject) else {
      throw SinkOutage(
        "the credential \"\(key)\" is not a web push key; create one by: openssl ecparam -genkey "
          + "-name prime256v1 -noout | openssl pkcs8 -topk8 -nocrypt")
    }
    return key
  }

  package func sink(
    _ common: SinkCommonSettings, in surroundings: SinkEnvironment
  ) throws -> any Sink {
    let client = try SafeHTTPClient(
      http, deadline: common.deadline, concurrency: common.concurrency ?? 100)
    let service = WebPushService(
      key: try vapidKey(surroundings.credentials), client: client, now: surroundings.now)
    return PushSink(common, service: service, isTextFetched: isTextFetched)
  }
}
