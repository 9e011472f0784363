package import Engine
package import Reminders
package import Store

extension CurrentService: ReminderService {
  package func answer<Query: EngineQuery>(
    _ query: Query
  ) async throws(ServiceUnavailable) -> Query.Value {
    try await engine().answer(query)
  }

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

  package func trySink(
    _ parameters: SinkTestParameters
  ) async throws(ServiceUnavailable) -> SinkTestReceipt {
    try await engine().trySink(parameters)
  }

  package func sendTest(
    _ recipient: String, _ parameters: TestParameters, _ observer: @escaping TestObserver
  ) async throws(ServiceUnavailable) -> TestReceipt? {
    try await engine().sendTest(recipient, parameters, observer)
  }

  package func forgetTest(_ notification: String) {
    (try? engine())?.forgetTest(notification)
  }

  package func setDraining(
    _ isDraining: Bool, node: String
  ) async throws(ServiceUnavailable) -> DrainDecision? {
    try await engine().setDraining(isDraining, node: node)
  }

  package func watchStatus(signal: StreamSignal) -> ViewWatch? {
    (try? engine())?.watchStatus(signal: signal)
  }

  package func work<Value: Sendable>(
    _ burden: QueryBurden, _ body: @escaping @Sendable () -> Value
  ) async throws(ServiceUnavailable) -> Value {
    try await engine().work(burden, body)
  }

  package func backup() async throws(ServiceUnavailable) -> any StoreBackup {
    try await engine().backup()
  }
}
