package import Access
package import CivilTime
package import Outbox
package import Reminders
package import Store
package import Systemd

extension Engine {
  /// The configuration of an engine, and the receivers of its decisions.
  package struct Configuration: Sendable {
    /// Opens the store; called again until it succeeds.
    package var store: @Sendable () throws(StoreError) -> any Store
    package var planner: Planner
    package var sinks: [any Sink]
    package var routes: Routes
    /// The limits of sinks by name.
    package var limits: [String: SinkLimits]
    package var journal: Journal
    /// The board to which the engine's state for systemd and operators is written.
    package var board: StatusBoard
    /// The registry of the parts whose progress the watchdog requires.
    package var heartbeats: Heartbeats
    /// Waits until the next attempt to open and load the store, or returns false to give up. Called
    /// at a start with the store's error.
    package var waitForStore: @Sendable (StoreError) -> Bool = { _ in false }
    /// Receives the key for the links in notifications, which the store contains.
    package var linkKey: CurrentLinkKey?
    /// Creates the links of actions in deliveries; nil without a public address.
    package var actionLinks: ActionLinks?
    /// How long a forward jump of the clock has to last until it is trusted (rule T6).
    package var clockTrustAfter = TimeSpan.minutes(5)
    /// How long the store keeps data (rule H7); nil for no limit.
    package var retention: Retention?
    /// The share of the recipients that is audited each night (rule L7); nil for no audit.
    package var auditShare: Double?
    /// Until when this process certainly owns its shards; nil without a fleet. In a fleet, another
    /// engine may follow in the same process and use the same sinks.
    package var trust: TrustDeadline?
    /// The clock to use while the node's own is wrong; nil without a fleet.
    package var serverClock: ServerClock?
    /// The node's state in its fleet, thread-safe; nil without a fleet.
    package var fleetStatus: (@Sendable () -> FleetStatus)?
    /// Receives the spans of sampled distributed traces; nil without tracing.
    package var tracer: Tracer?
    /// The tokens, which remain known while there is no engine.
    package var tokens = TokenTable()
    /// Called on the engine's thread with each tz database that becomes current after the start.
    package var whenZonesChange: @Sendable (ZoneDatabase) -> Void = { _ in }
    /// Called once, immediately, on the engine's thread when the store has failed (rule S7).
    package var whenStoreFails: @Sendable (StoreFailure) -> Void

    package init(
      store: @escaping @Sendable () throws(StoreError) -> any Store, planner: Planner,
      sinks: [any Sink], routes: Routes,
      limits: [String: SinkLimits] = [:], journal: Journal, board: StatusBoard,
      heartbeats: Heartbeats,
      linkKey: CurrentLinkKey? = nil,
      whenStoreFails: @escaping @Sendable (StoreFailure) -> Void = { _ in }
    ) {
      self.store = store
      self.planner = planner
      self.sinks = sinks
      self.routes = routes
      self.limits = limits
      self.journal = journal
      self.board = board
      self.heartbeats = heartbeats
      self.linkKey = linkKey
      self.whenStoreFails = whenStoreFails
    }

    /// Runs a step of the start that needs the store, repeatedly while the store is unavailable.
    func retryWhileUnavailable<Value>(_ body: () throws -> Value) throws -> Value {
      while true {
        do {
          return try body()
        } catch let error as StoreError {
          guard waitForStore(error) else { throw error }
        }
      }
    }
  }
}
