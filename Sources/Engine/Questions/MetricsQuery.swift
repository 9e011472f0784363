package import CivilTime
package import Store

/// Selects the metrics of the service (rule H2).
package struct MetricsQuery: EngineQuery {
  package static var burden: QueryBurden { .service }

  package init() {}

  package func answer(
    from questions: Questions, now: Instant
  ) throws(StoreError) -> ServiceMetrics {
    var metrics = try questions.metrics(now: now)
    questions.process?.complete(&metrics)
    return metrics
  }
}
