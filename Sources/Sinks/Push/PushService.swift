package import CivilTime
import Cryptography
package import Outbox
package import Reminders

/// A push service that shows notifications on devices: Apple's, Google's or a browser's.
package protocol PushService: Sendable {
  /// The type of the service's sinks in the configuration.
  var type: String { get }

  /// The platforms of devices that the service reaches, named as apps name them.
  var platforms: Set<String> { get }

  /// Whether a result may be an outage of the service.
  var hasOutages: Bool { get }

  /// Whether the service can withdraw notifications that it has accepted (rule D16).
  var canWithdraw: Bool { get }

  /// Whether the service reaches this device.
  func reaches(_ device: Device) -> Bool

  /// Makes one attempt to deliver to one device.
  ///
  /// - Parameter deadline: the instant at which the attempt is given up.
  func push(
    _ delivery: Delivery, to device: Device, before deadline: ContinuousClock.Instant
  ) async -> PushResult
}

extension PushService {
  package var type: String { "" }
  package var hasOutages: Bool { true }
  package var canWithdraw: Bool { true }

  /// Whether the device has one of the platforms. A browser with a separate endpoint has no token
  /// for this service.
  package func reaches(_ device: Device) -> Bool {
    platforms.contains(device.platform)
      && device.token.flatMap { WebPushSubscription(text: $0) } == nil
  }
}

/// The result of a notification on one device.
package struct PushResult: Sendable {
  package enum Outcome: Hashable, Sendable {
    case delivered
    /// The device is no longer registered.
    case gone(reason: String)
    /// The device will never accept this notification.
    case rejected(reason: String)
    /// The notification may be tried again later.
    case retry(after: TimeSpan?, reason: String)
    /// The service currently accepts nothing from chimed, for any device.
    case outage(reason: String)
  }

  package let outcome: Outcome
  /// The service's response; nil if there is none.
  package let response: SinkResponse?

  package init(_ outcome: Outcome, response: SinkResponse? = nil) {
    self.outcome = outcome
    self.response = response
  }

  var isOutage: Bool { if case .outage = outcome { true } else { false } }

  package init(_ failure: ExchangeError) {
    switch failure {
    case .unreachable(let reason): self.init(.outage(reason: reason))
    case .unprocessed, .lost, .overdue: self.init(.retry(after: nil, reason: failure.reason))
    }
  }
}

/// The setting `text` of push sinks.
enum PushTextSource: String, CaseIterable {
  /// The message contains the text.
  case send
  /// The message contains an id, by which the app fetches the text (rule D17).
  case fetch

  static let key = KeyDescription.optional(
    "text", .word(allCases.map(\.rawValue)),
    "Whether the sink sends texts, or only ids by which the app fetches them; default: send.")

  /// Returns whether the app fetches the texts.
  static func isFetched(_ settings: inout SinkSettings) -> Bool {
    guard let word = settings.text("text") else { return false }
    guard let source = Self(rawValue: word) else {
      settings.refuse("text", "must be send or fetch")
      return false
    }
    return source == .fetch
  }
}

/// The server settings of Apple's and Google's push services.
struct PushServer: Equatable, Sendable {
  static let keys: [KeyDescription] = [
    .optional("endpoint", .text, "Another server, as https://HOST:PORT."),
    .optional("trust", .text, "A PEM file of certificates to trust instead of the system's."),
  ]

  let origin: ExchangeOrigin
  /// A PEM file of certificates to trust instead of the system's.
  let trust: String?

  /// - Parameter defaultOrigin: the default server.
  init(reading settings: inout SinkSettings, defaultOrigin: ExchangeOrigin) {
    trust = settings.text("trust")
    guard let url = settings.text("endpoint") else {
      origin = defaultOrigin
      return
    }
    let target = ExchangeTarget(url)
    if target?.path != "/" {
      settings.refuse("endpoint", "must be an https URL without a path: https://HOST:PORT")
    }
    origin = target?.origin ?? defaultOrigin
  }

  func client() throws -> HTTP2Client {
    try HTTP2Client(trust: trust)
  }
}

/// The parts of an https URL that requests are posted to.
package struct ExchangeTarget: Hashable, Sendable {
  package let origin: ExchangeOrigin
  /// The path; "/" if the URL has none.
  package let path: String

  /// Parses a URL; nil unless the text is an https URL without a user, a fragment or invalid
  /// characters.
  package init?(_ url: String) {
    guard url.hasPrefix("https://"), url.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
      return nil
    }
    let rest = url.dropFirst("https://".count)
    let authority = rest.prefix { !"/?#".contains($0) }
    guard !authority.contains("@"), !rest.contains("#"),
      let origin = Self.origin(authority)
    else { return nil }
    self.origin = origin
    let path = rest.dropFirst(authority.count)
    self.path = path.hasPrefix("/") ? String(path) : "/" + path
  }

  private static func origin(_ authority: Substring) -> ExchangeOrigin? {
    var host = authority
    var port = 443
    if let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") {
      let digits = authority[authority.index(after: colon)...]
      guard digits.first != "+", let number = UInt16(digits), number > 0 else { return nil }
      host = authority[..<colon]
      port = Int(number)
    }
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    return host.isEmpty ? nil : ExchangeOrigin(host: String(host), port: port)
  }
}

/// The response of a push service, as recorded with the attempt.
struct PushReport {
  let response: ExchangeResponse
  /// When the attempt began.
  let start: ContinuousClock.Instant
  /// Secrets to remove from the response.
  let secrets: [Secret]

  /// - Parameter errorCode: the service's error code, if the response has one.
  func sinkResponse(_ errorCode: String?) -> SinkResponse {
    let (seconds, attoseconds) = (ContinuousClock.now - start).components
    let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    return SinkResponse(
      status: ["\(response.status)", errorCode].compactMap(\.self).joined(separator: " "),
      body: response.body, hiding: Redaction(secrets),
      duration: TimeSpan(milliseconds: milliseconds))
  }

  /// Returns the text if it has the form of an error code, otherwise nil. No other text of a
  /// response becomes part of a reason.
  static func errorCode(_ text: String?) -> String? {
    guard let text, (1...64).contains(text.utf8.count) else { return nil }
    return text.utf8.allSatisfy {
      $0 == UInt8(ascii: "_") || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0
        || UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0
    } ? text : nil
  }
}
