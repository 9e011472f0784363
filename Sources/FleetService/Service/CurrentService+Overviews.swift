package import CivilTime
package import Engine
package import Reminders
package import Store

/// Queries about all recipients, and about the service.
extension CurrentService {
  package func recipients(
    _ question: RecipientQuestion
  ) async throws(ServiceUnavailable) -> RecipientPage {
    try await engine().recipients(question)
  }

  package func feed(_ question: FeedQuestion) async throws(ServiceUnavailable) -> FeedPage {
    try await engine().feed(question)
  }

  package func deadLetters(
    _ question: DeadLetterQuestion
  ) async throws(ServiceUnavailable) -> DeadLetterPage {
    try await engine().deadLetters(question)
  }

  package func deadLetter(_ letter: String) async throws(ServiceUnavailable) -> DeadLetter? {
    try await engine().deadLetter(letter)
  }

  package func deadLetterGroups(
    _ grouping: DeadLetterGrouping, _ filter: DeadLetterFilter
  ) async throws(ServiceUnavailable) -> DeadLetterGroups {
    try await engine().deadLetterGroups(grouping, filter)
  }

  package func prunable(
    _ question: PruningQuestion
  ) async throws(ServiceUnavailable) -> PruningForecast {
    try await engine().prunable(question)
  }

  package func status() async throws(ServiceUnavailable) -> ServiceStatus {
    try await engine().status()
  }

  package func watchStatus(telling signal: StreamSignal) -> ViewWatch? {
    (try? engine())?.watchStatus(telling: signal)
  }

  package func activity(_ question: ActivityQuestion) async throws(ServiceUnavailable) -> Activity {
    try await engine().activity(question)
  }

  package func trial(
    of planner: Planner, days: Int
  ) async throws(ServiceUnavailable) -> CatalogTrial {
    try await engine().trial(of: planner, days: days)
  }

  package func ended(by planner: Planner) async throws(ServiceUnavailable) -> [EndedReminder] {
    try await engine().ended(by: planner)
  }

  package func forecast(_ question: ForecastQuestion) async throws(ServiceUnavailable) -> Forecast {
    try await engine().forecast(question)
  }

  package func fleet() async throws(ServiceUnavailable) -> FleetOverview? {
    try await engine().fleet()
  }

  package func setDraining(
    _ isDraining: Bool, node: String
  ) async throws(ServiceUnavailable) -> DrainDecision? {
    try await engine().setDraining(isDraining, node: node)
  }

  package func metrics() async throws(ServiceUnavailable) -> ServiceMetrics {
    try await engine().metrics()
  }

  package func analytics(_ query: AnalyticsQuery) async throws(ServiceUnavailable) -> AnalyticsPage?
  {
    try await engine().analytics(query)
  }

  package func usage(
    from first: LocalDate, through last: LocalDate
  ) async throws(ServiceUnavailable) -> UsageTable {
    try await engine().usage(from: first, through: last)
  }

  package func work<Value: Sendable>(
    _ body: @escaping @Sendable () -> Value
  ) async throws(ServiceUnavailable) -> Value {
    try await engine().work(body)
  }

  package func heavyWork<Value: Sendable>(
    _ body: @escaping @Sendable () -> Value
  ) async throws(ServiceUnavailable) -> Value {
    try await engine().heavyWork(body)
  }

  package func backup() async throws(ServiceUnavailable) -> any StoreBackup {
    try await engine().backup()
  }
}
