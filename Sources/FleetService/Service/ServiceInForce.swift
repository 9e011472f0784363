package import Access
package import CivilTime
package import Engine
package import Reminders
import Store
import Synchronization

/// The service that those who talk to it know, while the engine behind it comes and goes: what they
/// ask is passed on to the one in force, and refused while there is none.
package final class ServiceInForce: Sendable {
  private struct State {
    var engine: (any ServingEngine)?
    /// That of the engine in force, or of the one before.
    var planner: Planner
  }

  private let state: Mutex<State>
  /// Who is let in is known also while there is no engine.
  private let table: TokenTable

  /// - Parameters:
  ///   - planner: by which events are read until there is an engine.
  ///   - table: that of every engine.
  package init(planner: Planner, tokens table: TokenTable) {
    state = Mutex(State(planner: planner))
    self.table = table
  }

  /// Puts an engine in force.
  package func put(_ engine: any ServingEngine) { state.withLock { $0.engine = engine } }

  /// Nobody is in force any more.
  ///
  /// - Returns: what the one that was plans with by now.
  @discardableResult
  package func vacate() -> Planner {
    state.withLock { state in
      state.planner = state.engine?.planner ?? state.planner
      state.engine = nil
      return state.planner
    }
  }

  /// Another configuration is to be read by while there is no engine.
  package func plan(with planner: Planner) { state.withLock { $0.planner = planner } }

  package var planner: Planner { state.withLock { $0.engine?.planner ?? $0.planner } }

  /// What time it is to the service.
  package func now() -> Instant { state.withLock(\.engine)?.now() ?? WallClock.now() }

  package func shard(of recipient: String) -> Int? {
    state.withLock(\.engine)?.shard(of: recipient)
  }

  func engine() throws(ServiceUnavailable) -> any ServingEngine {
    guard let engine = state.withLock(\.engine) else { throw Self.absent }
    return engine
  }

  static let absent = ServiceUnavailable(
    .elsewhere,
    "this node has lost touch with the database, or is just joining its fleet; try again soon")
}

/// What is in force of an engine.
package protocol ServingEngine: ReminderService, TokenService {
  /// What time it is to the service.
  func now() -> Instant

  /// The shard of a recipient; nil while that is not known.
  func shard(of recipient: String) -> Int?
}

extension Engine: ServingEngine {
  package func now() -> Instant { clock.now() }
}

extension ServiceInForce: ServingEngine {}

extension ServiceInForce: TokenService {
  package func token(_ identifier: String) -> TokenRecord? { table[identifier] }

  package func noteUse(of identifier: String, at now: Instant) {
    state.withLock(\.engine)?.noteUse(of: identifier, at: now)
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
