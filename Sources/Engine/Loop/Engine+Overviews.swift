package import Reminders
package import Store

/// Calls about all recipients and about the service, for operators.
extension Engine {
  package func feed(_ question: FeedQuestion) async throws(ServiceUnavailable) -> FeedPage {
    try await query { .feed(question, $0) }
  }

  package func deadLetterGroups(
    _ grouping: DeadLetterGrouping, _ filter: DeadLetterFilter
  ) async throws(ServiceUnavailable) -> DeadLetterGroups {
    try await query { .deadLetterGroups(grouping, filter, $0) }
  }

  package func activity(
    _ question: ActivityQuestion
  ) async throws(ServiceUnavailable) -> Activity {
    try await query { .activity(question, $0) }
  }

  package func trial(
    of planner: Planner, days: Int
  ) async throws(ServiceUnavailable) -> CatalogTrial {
    try await query { .trial(planner, days: days, $0) }
  }

  package func ended(by planner: Planner) async throws(ServiceUnavailable) -> [EndedReminder] {
    try await query { .ended(planner, $0) }
  }

  package func watchStatus(telling signal: StreamSignal) -> ViewWatch? {
    questions.watchStatus(telling: signal)
  }

  package func fleet() async throws(ServiceUnavailable) -> FleetOverview? {
    known(try await query { .fleet($0) })
  }

  package func setDraining(
    _ isDraining: Bool, node: String
  ) async throws(ServiceUnavailable) -> DrainDecision? {
    try await ask { .drain(node: node, isDraining, $0) }
  }

  /// Adds this node's own status, if the engine belongs to a fleet.
  func known(_ fleet: FleetOverview?) -> FleetOverview? {
    guard var fleet, let status = fleetStatus?() else { return fleet }
    fleet.status = status
    return fleet
  }
}
