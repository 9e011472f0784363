import Engine

extension ReminderService {
  /// Returns the answer to a query.
  ///
  /// - Throws: the problem that callers receive while the service cannot answer.
  func result<Query: EngineQuery>(of query: Query) async throws(Problem) -> Query.Value {
    do {
      return try await answer(query)
    } catch {
      throw Problem(error)
    }
  }
}
