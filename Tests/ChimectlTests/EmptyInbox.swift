import Engine
import Reminders
import Store

/// A service without any notifications.
protocol EmptyInbox: ReminderService {}

extension EmptyInbox {
  func inbox(
    of recipient: String, offset: Int, limit: Int
  ) async throws(ServiceUnavailable) -> InboxPage {
    InboxPage()
  }

  func cancelled(of recipient: String) async throws(ServiceUnavailable) -> Agenda? { nil }

  func arrived(of recipient: String) async throws(ServiceUnavailable) -> Int { 0 }

  func notificationHistory(
    of recipient: String, _ question: HistoryQuestion
  ) async throws(ServiceUnavailable) -> NotificationHistory? {
    nil
  }

  func recipients(
    _ question: RecipientQuestion
  ) async throws(ServiceUnavailable) -> RecipientPage {
    RecipientPage()
  }

  func feed(_ question: FeedQuestion) async throws(ServiceUnavailable) -> FeedPage {
    FeedPage()
  }

  func deadLetterGroups(
    _ grouping: DeadLetterGrouping, _ filter: DeadLetterFilter
  ) async throws(ServiceUnavailable) -> DeadLetterGroups {
    DeadLetterGroups(grouping)
  }

  func deadLetter(_ letter: String) async throws(ServiceUnavailable) -> DeadLetter? { nil }

  func deadLetters(
    _ question: DeadLetterQuestion
  ) async throws(ServiceUnavailable) -> DeadLetterPage {
    DeadLetterPage()
  }

  func write(
    _ write: DeadLetterWrite
  ) async throws(ServiceUnavailable) -> DeadLetterReceipt? {
    nil
  }

  func setPaused(_ isPaused: Bool, sink: String) async throws(ServiceUnavailable) -> Bool { false }

  func trySink(_ order: SinkTestOrder) async throws(ServiceUnavailable) -> SinkTestReceipt {
    .unknownSink
  }

  func sendTest(
    _ recipient: String, _ order: TestOrder, _ observer: @escaping TestObserver
  ) async throws(ServiceUnavailable) -> TestReceipt? {
    nil
  }

  func forgetTest(_ notification: String) {}

  func write(
    _ write: InboxWrite, of recipient: String
  ) async throws(ServiceUnavailable) -> InboxReceipt? {
    nil
  }

  func watch(
    _ recipient: String, from start: String?, telling signal: StreamSignal
  ) async throws(ServiceUnavailable) -> WatchAnswer { .unknownRecipient }

  func page(
    of watch: Watch, _ backlog: Backlog, on channels: ChannelSet
  ) async throws(ServiceUnavailable) -> StreamPage? { nil }

  func prunable(
    _ question: PruningQuestion
  ) async throws(ServiceUnavailable) -> PruningForecast {
    PruningForecast(question.part)
  }

  func backup() async throws(ServiceUnavailable) -> any StoreBackup {
    throw ServiceUnavailable(.stopping, "there is nothing to copy")
  }
}
