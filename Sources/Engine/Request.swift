package import Access
package import Delivery
package import Reminders

/// What reaches the engine's thread from others. Questions do not (`EngineQuestion`).
package enum Request: Sendable {
  case submit([Event], Answer<[Receipt]>)
  case write(Write, Answer<WriteReceipt>)
  case inboxWrite(String, InboxWrite, Answer<InboxReceipt?>)
  case deadLetterWrite(DeadLetterWrite, Answer<DeadLetterReceipt?>)
  /// Of a recipient.
  case test(String, TestOrder, TestWitness, Answer<TestReceipt?>)
  case forgetTest(String)
  case token(TokenChange, Answer<TokenRecord?>)
  case sinkAnswered(lane: Int, Result<[SinkAnswer], SinkOutage>)
  /// The tz database has changed; done later if it cannot be done now.
  case planWith(Planner)
  /// All of another configuration; answers with the planner that is in force then.
  case adopt(Arrangement, Answer<Planner>)
  /// The files have been cleaned of who was erased, or that has failed.
  case cleaned
  case stop(Answer<Void>)
}

extension Request {
  var isStop: Bool { if case .stop = self { true } else { false } }

  var isAdoption: Bool { if case .adopt = self { true } else { false } }
}

/// Where the answer to a request goes; called once, when what it says is on disk.
package typealias Answer<Value: Sendable> = @Sendable (Result<Value, ServiceUnavailable>) -> Void
