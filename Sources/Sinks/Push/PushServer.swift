import Systemd

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
