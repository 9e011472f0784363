import CivilTime
package import Engine
import MemoryStore
package import Reminders
package import Store

/// A service for tests, without data and without effects unless a conforming type adds them.
package protocol ServiceDouble: ReminderService {}

extension ServiceDouble {
  package func answer<Query: EngineQuery>(
    _ query: Query
  ) async throws(ServiceUnavailable) -> Query.Value {
    try emptyAnswer(to: query)
  }

  /// Returns the answer of a service without data.
  package func emptyAnswer<Query: EngineQuery>(
    to query: Query
  ) throws(ServiceUnavailable) -> Query.Value {
    let start = Instant(milliseconds: 0)
    let questions = Questions(
      of: MemoryStore().readers, instance: "empty", planner: planner, started: start)
    return try questions.answer(query, now: start)
  }

  package func submit(_ events: [Event], _ answer: @escaping Answer<[Receipt]>) {
    Task {
      do throws(ServiceUnavailable) {
        answer(.success(try await submit(events)))
      } catch {
        answer(.failure(error))
      }
    }
  }

  package func write(_ write: Write) async throws(ServiceUnavailable) -> WriteReceipt {
    .outdated(version: 0)
  }

  package func write(
    _ write: InboxWrite, of recipient: String
  ) async throws(ServiceUnavailable) -> InboxReceipt? { nil }

  package func write(
    _ write: DeadLetterWrite
  ) async throws(ServiceUnavailable) -> DeadLetterReceipt? { nil }

  package func setPaused(_ isPaused: Bool, sink: String) async throws(ServiceUnavailable) -> Bool {
    false
  }

  package func trySink(
    _ parameters: SinkTestParameters
  ) async throws(ServiceUnavailable) -> SinkTestReceipt {
    .unknownSink
  }

  package func sendTest(
    _ recipient: String, _ parameters: TestParameters, _ observer: @escaping TestObserver
  ) async throws(ServiceUnavailable) -> TestReceipt? { nil }

  package func forgetTest(_ notification: String) {}

  package func setDraining(
    _ isDraining: Bool, node: String
  ) async throws(ServiceUnavailable) -> DrainDecision? { nil }

  package func watchStatus(signal: StreamSignal) -> ViewWatch? { nil }

  package func work<Value: Sendable>(
    _ burden: QueryBurden, _ body: @escaping @Sendable () -> Value
  ) async throws(ServiceUnavailable) -> Value { body() }

  package func backup() async throws(ServiceUnavailable) -> any StoreBackup {
    throw ServiceUnavailable(.stopping, "there is nothing to copy")
  }
}

/// An answer with the type of its query, so that a cast can compare the types.
private struct TypedAnswer<Query: EngineQuery> {
  let value: Query.Value
}

extension EngineQuery {
  /// Returns the answer of `body`; nil if `body` answers another type of query.
  package func answer<Other: EngineQuery>(by body: (Other) -> Other.Value) -> Value? {
    guard let query = self as? Other else { return nil }
    let answer: Any = TypedAnswer<Other>(value: body(query))
    return (answer as? TypedAnswer<Self>)?.value
  }
}
