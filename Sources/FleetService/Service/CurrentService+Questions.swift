package import Engine
package import Reminders
import Store

extension CurrentService: ReminderService {
  // MARK: - Changes

  package func submit(_ events: [Event]) async throws(ServiceUnavailable) -> [Receipt] {
    try await engine().submit(events)
  }

  package func submit(_ events: [Event], _ answer: @escaping Answer<[Receipt]>) {
    do throws(ServiceUnavailable) {
      try engine().submit(events, answer)
    } catch {
      answer(.failure(error))
    }
  }

  package func write(_ write: Write) async throws(ServiceUnavailable) -> WriteReceipt {
    try await engine().write(write)
  }

  package func write(
    _ write: InboxWrite, of recipient: String
  ) async throws(ServiceUnavailable) -> InboxReceipt? {
    try await engine().write(write, of: recipient)
  }

  package func write(
    _ write: DeadLetterWrite
  ) async throws(ServiceUnavailable) -> DeadLetterReceipt? {
    try await engine().write(write)
  }

  package func setPaused(
    _ isPaused: Bool, sink: String
  ) async throws(ServiceUnavailable) -> Bool {
    try await engine().setPaused(isPaused, sink: sink)
  }

  package func trySink(_ order: SinkTestOrder) async throws(ServiceUnavailable) -> SinkTestReceipt {
    try await engine().trySink(order)
  }

  package func sendTest(
    _ recipient: String, _ order: TestOrder, _ observer: @escaping TestObserver
  ) async throws(ServiceUnavailable) -> TestReceipt? {
    try await engine().sendTest(recipient, order, observer)
  }

  package func forgetTest(_ notification: String) {
    (try? engine())?.forgetTest(notification)
  }

  // MARK: - Recipients

  package func agenda(of recipient: String) async throws(ServiceUnavailable) -> Agenda? {
    try await engine().agenda(of: recipient)
  }

  package func recipient(_ name: String) async throws(ServiceUnavailable) -> Recipient? {
    try await engine().recipient(name)
  }

  package func history(
    of recipient: String, notification: String
  ) async throws(ServiceUnavailable) -> HistoryAnswer {
    try await engine().history(of: recipient, notification: notification)
  }

  package func cancelled(of recipient: String) async throws(ServiceUnavailable) -> Agenda? {
    try await engine().cancelled(of: recipient)
  }

  package func inbox(
    of recipient: String, offset: Int, limit: Int
  ) async throws(ServiceUnavailable) -> InboxPage {
    try await engine().inbox(of: recipient, offset: offset, limit: limit)
  }

  package func arrived(of recipient: String) async throws(ServiceUnavailable) -> Int {
    try await engine().arrived(of: recipient)
  }

  package func notificationHistory(
    of recipient: String, _ question: HistoryQuestion
  ) async throws(ServiceUnavailable) -> NotificationHistory? {
    try await engine().notificationHistory(of: recipient, question)
  }

  package func watch(
    _ recipient: String, from start: String?, telling signal: StreamSignal
  ) async throws(ServiceUnavailable) -> WatchAnswer {
    try await engine().watch(recipient, from: start, telling: signal)
  }

  package func page(
    of watch: Watch, _ backlog: Backlog, on channels: ChannelSet
  ) async throws(ServiceUnavailable) -> StreamPage? {
    try await engine().page(of: watch, backlog, on: channels)
  }

  package func export(
    _ recipient: String, _ place: ExportPage.Place
  ) async throws(ServiceUnavailable) -> ExportPage? {
    try await engine().export(recipient, place)
  }
}
