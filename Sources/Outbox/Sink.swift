package import CivilTime
package import Reminders

/// An adapter that carries deliveries to a delivery service.
///
/// A sink may block or suspend for any time, because each sink has a separate queue, its lane (rule
/// D3).
package protocol Sink: Sendable {
  /// The name of the sink in the configuration, the journal and the store.
  var name: String { get }

  /// The `type` of the sink in the configuration; empty if it has none.
  var type: String { get }

  /// The maximum number of deliveries in a batch.
  ///
  /// A crash repeats at most this number of deliveries under the same ids (rule D1). For an
  /// `OverlappingSink` it also repeats stragglers, the unanswered deliveries of earlier batches.
  /// For a `ReportingSink`, a crash repeats only the deliveries in flight and the deliveries
  /// answered in the last half second.
  var window: Int { get }

  /// Whether the sink needs the recipient's addresses or devices.
  var needsAddressee: Bool { get }

  /// Whether the sink can withdraw deliveries that its service has accepted (rule D16). Other sinks
  /// receive no withdrawals.
  var canWithdraw: Bool { get }

  /// Whether an open app can remove the sink's notifications from its device, although the sink
  /// cannot withdraw them. Streams report withdrawals to the app (rule D18).
  var isWithdrawnByApps: Bool { get }

  /// The longest time that the sink takes for a batch, by its own deadlines. A sink that takes
  /// longer counts as hanging, and the service is restarted. Nil for a sink that waits without a
  /// deadline for something outside the service, because a restart would not help it.
  var timeout: Duration? { get }

  /// The reason why the sink has disabled itself, and the remedy, for the operator; nil while it
  /// sends. A disabled sink rejects every delivery.
  var whyDisabled: String? { get }

  /// The reason why the sink could not be created, and the remedy; nil if it was created. Until a
  /// reload, such a sink answers each batch with an outage.
  var whyUnavailable: String? { get }

  /// Enables a sink that has disabled itself, because an operator has resumed it.
  func enable()

  /// Sends deliveries, in order.
  ///
  /// - Returns: an answer for each delivery, in order.
  /// - Throws: an outage if nothing can be sent now; the lane tries all deliveries again later.
  func deliver(_ deliveries: [Delivery]) async throws(SinkOutage) -> [SinkAnswer]

  /// Prepares the sink for a reload: reopens files by their names, and enables a sink that has
  /// disabled itself.
  ///
  /// - Throws: the reason for the operator; the open files then stay in use.
  func prepareForReload() throws

  /// Ends the processes and tasks that the sink has started, and gives them time to finish.
  /// `deliver` is not called afterwards. A sink that is released without this call ends its
  /// processes and tasks at once.
  func stop() async
}

extension Sink {
  package var type: String { "" }
  package var window: Int { 32_768 }
  package var needsAddressee: Bool { false }
  package var canWithdraw: Bool { false }
  package var isWithdrawnByApps: Bool { false }
  package var timeout: Duration? { nil }
  package var whyDisabled: String? { nil }
  package var whyUnavailable: String? { nil }

  package func enable() {}
  package func prepareForReload() throws {}
  package func stop() async {}
}

/// An outage: the sink cannot accept anything now. The description is for the operator.
package struct SinkOutage: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}

/// A sink's answer to one delivery (rule D2).
package struct SinkAnswer: Hashable, Sendable {
  package enum Verdict: Hashable, Sendable {
    case delivered
    /// The delivery is to be tried again by the `RetrySchedule`, but not before this span has
    /// passed; nil if the service requests no pause.
    case retry(after: TimeSpan?, reason: String)
    /// The delivery is never to be tried again.
    case rejected(reason: String)
  }

  package var verdict: Verdict
  /// The response of the service, stored with the attempt; nil if there is none.
  package var response: SinkResponse?
  /// The app's ids of devices that no longer exist; the engine removes them.
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

/// The response of a service to an attempt, for operators.
package struct SinkResponse: Hashable, Sendable {
  /// The status in the form of the protocol: "410", "550 5.1.1", "exit 75".
  package let status: String
  /// The beginning of the response's text, as one line.
  package let excerpt: String
  /// The time from the attempt to the response.
  package let duration: TimeSpan

  /// The maximum number of bytes of the response that are stored.
  private static let excerptMax = 256

  /// - Parameter body: the service's response, of any length and content.
  package init(status: String, body: some Collection<UInt8>, duration: TimeSpan) {
    self.status = status
    self.duration = duration
    let beginning = String(decoding: body.prefix(Self.excerptMax), as: UTF8.self)
    excerpt = String(
      String.UnicodeScalarView(beginning.unicodeScalars.map { $0.isPrintable ? $0 : " " }))
  }
}

extension Unicode.Scalar {
  /// Whether the scalar can be shown, and cannot control a terminal.
  fileprivate var isPrintable: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
    default: true
    }
  }
}

/// The configured limits of a sink.
package struct SinkLimits: Hashable, Sendable {
  /// The maximum number of deliveries a second; nil for no limit.
  package var rate: Int?
  /// The longest time of one attempt; nil if the sink declares none.
  package var deadline: TimeSpan?
  /// The number of attempts that the sink makes at once; nil if the sink does not declare it.
  package var concurrency: Int?
  /// The time after a sink's deadlines until it counts as hanging.
  package var margin = TimeSpan.seconds(5)

  package init(rate: Int? = nil, deadline: TimeSpan? = nil, concurrency: Int? = nil) {
    self.rate = rate
    self.deadline = deadline
    self.concurrency = concurrency
  }

  /// Returns the longest time for `count` deliveries: the sum of the attempts' deadlines, and a
  /// margin; nil for a sink without a deadline. A sink that does not declare its concurrency is
  /// assumed to make one attempt at a time.
  package func timeout(for count: Int) -> TimeSpan? {
    guard let deadline else { return nil }
    let concurrentAttempts = max(1, concurrency ?? 1)
    let rounds = Int64(max(1, (count + concurrentAttempts - 1) / concurrentAttempts))
    let (total, isTooLong) = deadline.milliseconds.multipliedReportingOverflow(by: rounds)
    return isTooLong ? nil : TimeSpan(milliseconds: total) + margin
  }
}
