package import Access
package import CivilTime
package import Delivery
package import Reminders

/// What reaches the engine's thread from others.
package enum Request: Sendable {
  case submit([Event], Answer<[Receipt]>)
  case write(Write, Answer<WriteReceipt>)
  case agenda(String, Answer<Agenda?>)
  case recipient(String, Answer<Recipient?>)
  /// Of a recipient, a notification by its id.
  case history(String, notification: String, Answer<HistoryAnswer>)
  case inbox(String, offset: Int, limit: Int, Answer<InboxPage>)
  case told(String, ToldQuestion, Answer<Told?>)
  /// What goes out to a recipient is to be told of, from a place on.
  case watch(String, from: String?, StreamSignal, Answer<WatchAnswer>)
  case page(Watch, Backlog, on: ChannelSet, Answer<StreamPage?>)
  case inboxWrite(String, InboxWrite, Answer<InboxReceipt?>)
  case deadLetters(DeadLetterQuestion, Answer<DeadLetterPage>)
  case deadLetterWrite(DeadLetterWrite, Answer<DeadLetterReceipt?>)
  /// Of a recipient.
  case test(String, TestOrder, TestWitness, Answer<TestReceipt?>)
  case forgetTest(String)
  case token(TokenChange, Answer<TokenRecord?>)
  case status(Answer<ServiceStatus>)
  case metrics(Answer<ServiceMetrics>)
  case analytics(AnalyticsQuery, Answer<AnalyticsPage?>)
  case export(String, ExportPage.Place, Answer<ExportPage?>)
  case usage(from: LocalDate, through: LocalDate, Answer<UsageTable>)
  case sinkAnswered(lane: Int, Result<[SinkAnswer], SinkOutage>)
  /// The tz database has changed; done later if it cannot be done now.
  case planWith(Planner)
  /// All of another configuration; answers with the planner that is in force then.
  case adopt(Arrangement, Answer<Planner>)
  case stop(Answer<Void>)
}

extension Request {
  var isStop: Bool { if case .stop = self { true } else { false } }

  var isAdoption: Bool { if case .adopt = self { true } else { false } }
}

/// Where the answer to a request goes; called once, when what it says is on disk.
package typealias Answer<Value: Sendable> = @Sendable (Result<Value, ServiceUnavailable>) -> Void
