package import CivilTime
package import Outbox
package import Reminders
import Systemd

/// A service that shows a notification on one device: Apple's or Google's.
package protocol PushService: Sendable {
  /// What the configuration calls sinks of it.
  var type: String { get }

  /// Which devices it reaches, by the app's word for what they are.
  var platforms: Set<String> { get }

  /// Whether a device is one of its own.
  func reaches(_ device: Device) -> Bool

  /// - Parameter deadline: when to give up.
  func push(
    _ delivery: Delivery, to device: Device, before deadline: ContinuousClock.Instant
  ) async -> PushResult
}

extension PushService {
  package var type: String { "" }

  /// A browser that is reached at an endpoint of its own has no token.
  package func reaches(_ device: Device) -> Bool {
    platforms.contains(device.platform)
      && device.token.flatMap { WebPushSubscription(text: $0) } == nil
  }
}

/// What came of a notification on one device.
package struct PushResult: Sendable {
  package enum Outcome: Hashable, Sendable {
    case delivered
    /// The device is not there any more.
    case gone(reason: String)
    /// Never on this device.
    case rejected(reason: String)
    /// Not now.
    case retry(after: TimeSpan?, reason: String)
    /// The service takes nothing from us now, whatever the device.
    case outage(reason: String)
  }

  package let outcome: Outcome
  /// Nil if the service said nothing.
  package let response: SinkResponse?

  package init(_ outcome: Outcome, response: SinkResponse? = nil) {
    self.outcome = outcome
    self.response = response
  }

  var isOutage: Bool { if case .outage = outcome { true } else { false } }

  package init(_ failure: ExchangeFailure) {
    switch failure {
    case .unreachable(let reason): self.init(.outage(reason: reason))
    case .unprocessed, .lost, .overdue: self.init(.retry(after: nil, reason: failure.reason))
    }
  }
}

/// What both push services may be told about their server.
struct PushServer: Equatable, Sendable {
  static let keys = ["endpoint", "trust"]

  let origin: ExchangeOrigin
  /// A file of certificates that are trusted instead of the system's.
  let trust: String?

  /// - Parameter usual: the server if none is given.
  init(reading settings: inout SinkSettings, usual: ExchangeOrigin) {
    trust = settings.text("trust")
    guard let url = settings.text("endpoint") else {
      origin = usual
      return
    }
    let target = ExchangeTarget(url)
    if target?.path != "/" {
      settings.refuse("endpoint", "must be an https URL without a path: https://HOST:PORT")
    }
    origin = target?.origin ?? usual
  }

  func client() throws -> HTTP2Client {
    try HTTP2Client(trust: trust)
  }
}

/// Where something is posted to: an https URL taken apart.
package struct ExchangeTarget: Hashable, Sendable {
  package let origin: ExchangeOrigin
  /// "/" if the URL has none.
  package let path: String

  /// Nil for what is no https URL, or has a user, a fragment, or characters that no URL has.
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
      guard let number = Int(authority[authority.index(after: colon)...]),
        (1...65_535).contains(number)
      else { return nil }
      host = authority[..<colon]
      port = number
    }
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    return host.isEmpty ? nil : ExchangeOrigin(host: String(host), port: port)
  }
}

/// The answer of a push service as it is kept with the attempt.
struct PushReport {
  let response: ExchangeResponse
  let start: ContinuousClock.Instant
  /// What must not be shown, even if the other side repeats it.
  let hidden: [Secret]

  /// - Parameter word: the service's own word for what is wrong, if it has one.
  func kept(_ word: String?) -> SinkResponse {
    let (seconds, attoseconds) = (ContinuousClock.now - start).components
    let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    return SinkResponse(
      status: ["\(response.status)", word].compactMap(\.self).joined(separator: " "),
      said: response.body, hiding: Redaction(hidden),
      duration: TimeSpan(milliseconds: milliseconds))
  }

  /// A word that a service uses for an error: nothing else of what it says goes into a reason.
  static func word(_ text: String?) -> String? {
    guard let text, (1...64).contains(text.utf8.count) else { return nil }
    return text.utf8.allSatisfy {
      $0 == UInt8(ascii: "_") || UInt8(ascii: "A")...UInt8(ascii: "z") ~= $0
    } ? text : nil
  }
}
