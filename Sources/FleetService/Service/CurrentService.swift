package import Access
package import CivilTime
package import Engine
package import Reminders
import Store
import Synchronization

/// Forwards requests to the current engine, and throws `ServiceUnavailable` while there is none.
package final class CurrentService: Sendable {
  private struct State {
    var engine: (any ServingEngine)?
    /// The planner of the previous engine, for the time without an engine.
    var planner: Planner
  }

  private let state: Mutex<State>
  /// Tokens are verified even while there is no engine.
  private let table: TokenTable

  /// - Parameters:
  ///   - planner: the planner that parses events until there is an engine.
  ///   - table: the token table that all engines share.
  package init(planner: Planner, tokens table: TokenTable) {
    state = Mutex(State(planner: planner))
    self.table = table
  }

  /// Makes an engine the current one.
  package func setEngine(_ engine: any ServingEngine) { state.withLock { $0.engine = engine } }

  /// Removes the current engine.
  ///
  /// - Returns: the engine's planner; without an engine, the planner for that time.
  @discardableResult
  package func removeEngine() -> Planner {
    state.withLock { state in
      state.planner = state.engine?.planner ?? state.planner
      state.engine = nil
      return state.planner
    }
  }

  /// Sets the planner for the time without an engine.
  package func plan(with planner: Planner) { state.withLock { $0.planner = planner } }

  package var planner: Planner { state.withLock { $0.engine?.planner ?? $0.planner } }

  /// The service's current time.
  package func now() -> Instant { state.withLock(\.engine)?.now() ?? WallClock.now() }

  package func shard(of recipient: String) -> Int? {
    state.withLock(\.engine)?.shard(of: recipient)
  }

  /// Returns the current engine; throws `absent` if there is none.
  func engine() throws(ServiceUnavailable) -> any ServingEngine {
    guard let engine = state.withLock(\.engine) else { throw Self.absent }
    return engine
  }

  /// The error of a request while there is no engine.
  static let absent = ServiceUnavailable(
    .elsewhere,
    "this node has lost the database or is joining its fleet; try again in a few seconds")
}

/// The engine interface that `CurrentService` forwards to.
package protocol ServingEngine: ReminderService, TokenService {
  /// The service's current time.
  func now() -> Instant

  /// The shard of a recipient; nil while it is unknown.
  func shard(of recipient: String) -> Int?
}

extension Engine: ServingEngine {
  package func now() -> Instant { clock.now() }
}

extension CurrentService: ServingEngine {}

extension CurrentService: TokenService {
  package func token(_ identifier: String) -> TokenRecord? { table[identifier] }

  package func recordUse(of identifier: String, at now: Instant) {
    state.withLock(\.engine)?.recordUse(of: identifier, at: now)
  }

  package var tokens: [TokenRecord] { table.all }

  package func add(_ token: TokenRecord) async throws(ServiceUnavailable) {
    try await engine().add(token)
  }

  package func revoke(
    _ identifier: String, at now: Instant
  ) async throws(ServiceUnavailable) -> TokenRecord? {
    try await engine().revoke(identifier, at: now)
  }
}
