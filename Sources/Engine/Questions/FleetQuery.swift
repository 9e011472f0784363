package import CivilTime
package import Store

/// Selects the nodes of the fleet and the shards that they own; the answer is nil without a fleet.
package struct FleetQuery: EngineQuery {
  package static var burden: QueryBurden { .service }

  package init() {}

  package func answer(
    from questions: Questions, now: Instant
  ) throws(StoreError) -> FleetOverview? {
    var fleet = try questions.readers.read { try $0.fleet().map(FleetOverview.init) }
    questions.process?.complete(&fleet)
    return fleet
  }
}
