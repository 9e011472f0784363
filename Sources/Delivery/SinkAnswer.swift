package import CivilTime

/// What a sink says to one delivery (rule D2).
package struct SinkAnswer: Hashable, Sendable {
  package enum Verdict: Hashable, Sendable {
    case delivered
    /// Not now; after so long if the sink knows.
    case retry(after: TimeSpan?, reason: String)
    /// Never.
    case rejected(reason: String)
  }

  package var verdict: Verdict
  /// What came back, kept with the attempt; nil if the sink has nothing to show.
  package var response: SinkResponse?
  /// Devices that are not there any more, by the app's names for them: they are removed.
  package var goneDevices: [String]

  package init(
    _ verdict: Verdict, response: SinkResponse? = nil, goneDevices: [String] = []
  ) {
    self.verdict = verdict
    self.response = response
    self.goneDevices = goneDevices
  }

  package static let delivered = SinkAnswer(.delivered)

  package static func retry(after span: TimeSpan?, reason: String) -> SinkAnswer {
    SinkAnswer(.retry(after: span, reason: reason))
  }

  package static func rejected(reason: String) -> SinkAnswer {
    SinkAnswer(.rejected(reason: reason))
  }

  package var isDelivered: Bool { verdict == .delivered }
}

/// What came back from an attempt, for the person who looks into it.
package struct SinkResponse: Hashable, Sendable {
  /// In the words of the protocol: "410", "550 5.1.1", "exit 75".
  package let status: String
  /// The beginning of what the other side said, of one line.
  package let excerpt: String
  package let duration: TimeSpan

  private static let excerptMax = 256

  /// - Parameter said: what the other side sent, of any length and content.
  package init(status: String, said: some Collection<UInt8>, duration: TimeSpan) {
    self.status = status
    self.duration = duration
    let beginning = String(decoding: said.prefix(Self.excerptMax), as: UTF8.self)
    excerpt = String(
      String.UnicodeScalarView(beginning.unicodeScalars.map { $0.isPrintable ? $0 : " " }))
  }
}

extension Unicode.Scalar {
  /// Whether it is a character and not a command to a terminal.
  fileprivate var isPrintable: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
    default: true
    }
  }
}
