package import CivilTime
package import Outbox
package import Reminders

/// One delivery that somebody wants handed to one sink, to see what it says (rule D5). It is on no
/// record: no lane, retry, route or count knows of it.
package struct SinkTestOrder: Sendable {
  package var sink: String
  /// Nil for the first channel that the sink carries.
  package var channel: Channel?
  /// Whose addresses it goes to; nobody's, if nil.
  package var recipient: String?
  package var title: String
  package var body: String
  /// How long the sink has to answer.
  package var patience: TimeSpan

  package init(
    sink: String, channel: Channel?, recipient: String?, title: String, body: String,
    patience: TimeSpan
  ) {
    (self.sink, self.channel, self.recipient) = (sink, channel, recipient)
    (self.title, self.body, self.patience) = (title, body, patience)
  }
}

package enum SinkTestReceipt: Sendable {
  case unknownSink
  case unknownRecipient
  /// The sink goes by people's own addresses, and nobody is named.
  case recipientWanted
  /// The sink has not come back from the test before.
  case busy
  case done(SinkTestResult)
}

/// What a sink has said to a test.
package struct SinkTestResult: Sendable {
  package var delivery: Delivery
  package var answer: Result<SinkAnswer, SinkOutage>

  /// - Parameter answers: one that is no answer to one delivery is an outage.
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
  /// What a test hands over, or why nothing is.
  enum SinkTest {
    case hand(Delivery)
    case refuse(SinkTestReceipt)
  }

  /// - Parameter person: the recipient in the order; nil without one, or for an unknown one.
  func test(_ order: SinkTestOrder, for person: Recipient?, now: Instant) -> SinkTest {
    guard let sink = lanes.first(where: { $0.sink.name == order.sink })?.sink else {
      return .refuse(.unknownSink)
    }
    guard person != nil || order.recipient == nil else { return .refuse(.unknownRecipient) }
    guard person != nil || !sink.needsAddressee else { return .refuse(.recipientWanted) }
    let channel = order.channel ?? routes.firstChannel(by: order.sink) ?? .push
    return .hand(Delivery(testing: order, channel, person, planner, now: now))
  }
}

extension Delivery {
  /// What it is called where reminders, categories and, for nobody's, the recipient are named.
  private static let testName = "test"
  /// How long it is worth delivering.
  private static let testLifetime = TimeSpan.hours(1)

  fileprivate init(
    testing order: SinkTestOrder, _ channel: Channel, _ person: Recipient?, _ planner: Planner,
    now: Instant
  ) {
    let name = Self.testName
    // No store is called so, and no row is 0: nothing that is kept can be taken for it.
    self.init(
      instance: name, notification: now.milliseconds, row: 0,
      recipient: order.recipient ?? name, channel: channel, isSilent: false, planned: now,
      at: now, expiry: now + Self.testLifetime,
      message: Message(reminder: name, category: name, title: order.title, body: order.body))
    addressee = person.map { Addressee($0.facts, zone: planner.zone(of: $0.facts)) }
  }
}
