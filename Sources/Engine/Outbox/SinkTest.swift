package import CivilTime
package import Outbox
package import Reminders

/// The parameters of a single test delivery, which shows the answer of one sink (rule D5). The
/// delivery is not recorded, and does not affect lanes, retries, routes or counters.
package struct SinkTestParameters: Sendable {
  /// The name of the sink.
  package var sink: String
  /// The channel; nil selects the first channel that has the sink in its route.
  package var channel: Channel?
  /// The recipient whose addresses are used; nil for none.
  package var recipient: String?
  package var title: String
  package var body: String
  /// How long the sink may take to answer.
  package var timeout: TimeSpan

  package init(
    sink: String, channel: Channel?, recipient: String?, title: String, body: String,
    timeout: TimeSpan
  ) {
    (self.sink, self.channel, self.recipient) = (sink, channel, recipient)
    (self.title, self.body, self.timeout) = (title, body, timeout)
  }
}

/// The result of a request for a test of a sink.
package enum SinkTestReceipt: Sendable {
  case unknownSink
  case unknownRecipient
  /// The sink needs the addresses of a recipient, and the parameters name none.
  case recipientRequired
  /// The sink still works on the previous test.
  case busy
  case done(SinkTestResult)
}

/// The answer of a sink to a test.
package struct SinkTestResult: Sendable {
  /// The delivery that was sent to the sink.
  package var delivery: Delivery
  /// The sink's answer, or the outage that prevented one.
  package var answer: Result<SinkAnswer, SinkOutage>

  /// - Parameter answers: the sink's answers; any number other than one counts as an outage.
  package init(_ delivery: Delivery, _ answers: Result<[SinkAnswer], SinkOutage>) {
    self.delivery = delivery
    answer = answers.flatMap { answers in
      guard answers.count == 1, let answer = answers.first else {
        return .failure(SinkOutage("it answered \(answers.count) of 1 deliveries"))
      }
      return .success(answer)
    }
  }
}

extension EngineView {
  /// The delivery of a test, or the reason to refuse it.
  enum SinkTest {
    case dispatch(Delivery)
    case refuse(SinkTestReceipt)
  }

  /// Returns the delivery of a test, or the reason to refuse it.
  ///
  /// - Parameter person: the recipient that the parameters name; nil for none or an unknown one.
  func test(_ parameters: SinkTestParameters, for person: Recipient?, now: Instant) -> SinkTest {
    guard let sink = lanes.first(where: { $0.sink.name == parameters.sink })?.sink else {
      return .refuse(.unknownSink)
    }
    guard person != nil || parameters.recipient == nil else { return .refuse(.unknownRecipient) }
    guard person != nil || !sink.needsAddressee else { return .refuse(.recipientRequired) }
    let channel = parameters.channel ?? routes.firstChannel(by: parameters.sink) ?? .push
    return .dispatch(Delivery(testing: parameters, channel, person, planner, now: now))
  }
}

extension Delivery {
  /// How long after the request the test may be delivered.
  private static let testLifetime = TimeSpan.hours(1)

  fileprivate init(
    testing parameters: SinkTestParameters, _ channel: Channel, _ person: Recipient?,
    _ planner: Planner, now: Instant
  ) {
    // The name of the store, reminder and category. If the parameters name no recipient, the
    // recipient has this name too.
    let name = TestNotification.identifier
    // No store has this name and no row is 0, so the delivery cannot be mistaken for a recorded
    // one.
    self.init(
      instance: name, notification: now.milliseconds, row: 0,
      recipient: parameters.recipient ?? name, channel: channel, isSilent: false, planned: now,
      at: now, expiry: now + Self.testLifetime,
      message: Message(
        reminder: name, category: name, title: parameters.title, body: parameters.body))
    addressee = person.map { Addressee($0.facts, zone: planner.zone(of: $0.facts)) }
  }
}
