package import Access
package import CivilTime
package import Outbox
package import Reminders
package import Store
package import Systemd

extension Engine {
  /// What an engine goes by, and who carries out what it decides.
  package struct Configuration: Sendable {
    /// Opens the store; called once, or until it can be had.
    package var store: @Sendable () throws(StoreError) -> any Store
    package var planner: Planner
    package var sinks: [any Sink]
    package var routes: Routes
    /// By the sinks' names.
    package var limits: [String: SinkLimits]
    package var journal: Journal
    package var board: StatusBoard
    package var heartbeats: Heartbeats
    /// Asked while the store cannot be had at a start, or has no room for it: returns when to try
    /// again, or says that nothing is waited for.
    package var waits: @Sendable (StoreError) -> Bool = { _ in false }
    /// Gets the key that the store holds.
    package var unsubscribeKey: CurrentUnsubscribeKey?
    /// How long the clock has to stay where it has leapt to until it is believed (rule T6).
    package var clockPatience = TimeSpan.minutes(5)
    /// For how long the store keeps what (rule H7); nil for good.
    package var retention: Retention?
    /// Until when what the store says is this process's is so; nil for good. With one, the engine
    /// may be followed by another in the same process, which shares its sinks.
    package var trust: TrustDeadline?
    /// The clock that the node goes by where its own is wrong; nil for one that is alone.
    package var serverClock: ServerClock?
    /// What the node knows of itself in its fleet, from any thread; nil for one that is alone.
    package var fleetStatus: (@Sendable () -> FleetStatus)?
    /// Where the tokens are known, also when there is no engine.
    package var tokens = TokenTable()
    /// Called on the engine's thread with each tz database that comes into effect after the start.
    package var keepsZones: @Sendable (ZoneDatabase) -> Void = { _ in }
    /// Called once on the engine's thread, at once, when the store has failed (rule S7).
    package var whenFailed: @Sendable (StoreFailure) -> Void

    package init(
      store: @escaping @Sendable () throws(StoreError) -> any Store, planner: Planner,
      sinks: [any Sink], routes: Routes,
      limits: [String: SinkLimits] = [:], journal: Journal, board: StatusBoard,
      heartbeats: Heartbeats,
      unsubscribeKey: CurrentUnsubscribeKey? = nil,
      whenFailed: @escaping @Sendable (StoreFailure) -> Void = { _ in }
    ) {
      self.store = store
      self.planner = planner
      self.sinks = sinks
      self.routes = routes
      self.limits = limits
      self.journal = journal
      self.board = board
      self.heartbeats = heartbeats
      self.unsubscribeKey = unsubscribeKey
      self.whenFailed = whenFailed
    }

    /// Does what a start needs the store for, as often as it takes.
    func patiently<Value>(_ body: () throws -> Value) throws -> Value {
      while true {
        do {
          return try body()
        } catch let error as StoreError {
          guard waits(error) else { throw error }
        }
      }
    }
  }
}
