package import Reminders

/// What is asked of all people, and of the service, by who runs it.
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

  package func watchStatus(telling signal: StreamSignal) -> ViewWatch? {
    questions.watchStatus(telling: signal)
  }
}
