package import CivilTime
package import Reminders

/// The adaptor that carries deliveries to where people see them.
///
/// A sink may block or suspend as long as it likes: each has a lane of its own (rule D3).
package protocol Sink: Sendable {
  /// What it is called in the configuration, the journal and the store.
  var name: String { get }

  /// What the configuration calls sinks of its type; empty for one that is of none.
  var type: String { get }

  /// How many deliveries a batch has at most: what a crash in between repeats, with the same
  /// identifiers (rule D1), beside the stragglers of an `OverlappingSink`. Of a `ReportingSink` it
  /// repeats only the deliveries under way and those answered in the last half second.
  var window: Int { get }

  /// Whether deliveries have to say where and how to reach the person.
  var needsAddressee: Bool { get }

  /// The longest that it takes to answer for a batch, by deadlines of its own: one that takes
  /// longer hangs, and the service is restarted for it. Nil for a sink that waits for something
  /// outside without a deadline, which a restart would not make any faster.
  var patience: Duration? { get }

  /// Why it sends nothing any more until it is enabled or configured otherwise, and what to do, for
  /// the person who runs the service; nil while it does. It goes on to answer, with rejections.
  var whyDisabled: String? { get }

  /// Why it cannot send anything until a reload, and what to do; nil for a sink that was made. Its
  /// batches are outages.
  var whyUnavailable: String? { get }

  /// Sends again if it had disabled itself: an operator has resumed it.
  func enable()

  /// Hands deliveries over, in order.
  ///
  /// - Returns: an answer for each, in order.
  /// - Throws: that nothing can be handed over now; the lane keeps them all and asks again later.
  func deliver(_ deliveries: [Delivery]) async throws(SinkOutage) -> [SinkAnswer]

  /// Opens again what it keeps open by name: the service was told to read everything again.
  ///
  /// - Throws: why that cannot be, for the person who runs the service; what was open stays in use.
  func reload() throws

  /// Ends what it has started, with time to finish: nothing is handed over any more. A sink that
  /// is let go of without ends it all the same, at once.
  func stop() async
}

extension Sink {
  package var type: String { "" }
  package var window: Int { 32_768 }
  package var needsAddressee: Bool { false }
  package var patience: Duration? { nil }
  package var whyDisabled: String? { nil }
  package var whyUnavailable: String? { nil }

  package func enable() {}
  package func reload() throws {}
  package func stop() async {}
}

/// A sink that cannot take anything now, for the person who runs the service.
package struct SinkOutage: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}

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

/// What the configuration holds a sink to.
package struct SinkLimits: Hashable, Sendable {
  /// How many deliveries a second it is handed at most; nil is no limit.
  package var rate: Int?
  /// How long one attempt may take by the sink's own account; nil if it does not say.
  package var deadline: TimeSpan?
  /// How many attempts it makes at once; nil if it does not say.
  package var concurrency: Int?
  /// What it has beyond that before it counts as one that never answers.
  package var margin = TimeSpan.seconds(5)

  package init(rate: Int? = nil, deadline: TimeSpan? = nil, concurrency: Int? = nil) {
    self.rate = rate
    self.deadline = deadline
    self.concurrency = concurrency
  }

  /// How long a sink may take for so many deliveries: each of its attempts up to its deadline, and
  /// a margin. Who does not say how many it makes at once is taken to make one after the other.
  package func patience(for count: Int) -> TimeSpan? {
    guard let deadline else { return nil }
    let atOnce = max(1, concurrency ?? 1)
    let rounds = Int64(max(1, (count + atOnce - 1) / atOnce))
    let (total, isTooLong) = deadline.milliseconds.multipliedReportingOverflow(by: rounds)
    return isTooLong ? nil : TimeSpan(milliseconds: total) + margin
  }
}
