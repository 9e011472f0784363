import CivilTime
import Outbox
import Reminders
import Store

/// Adoption of another configuration at run time (rule S1): all of it in one transaction, or
/// nothing.
extension EngineCore {
  func adopt(
    _ configuration: RuntimeConfiguration, now: Instant, _ answer: @escaping Answer<Planner>
  ) throws(StoreError) {
    guard !isDraining else {
      let stopping = "the service is stopping and adopts no configuration"
      return answer(.failure(ServiceUnavailable(.stopping, stopping)))
    }
    try adopt(configuration, now: now)
    publish(now: now)
    answer(.success(planner))
  }

  private func adopt(_ configuration: RuntimeConfiguration, now: Instant) throws(StoreError) {
    let planner = upToDate(configuration.planner)
    let (succession, place) = try store.commit { transaction in
      try keep(planner, isDone: schedule.recipients == 0, in: transaction)
      if planner.fingerprint != self.planner.fingerprint {
        try keepPlanStart(now, in: transaction)
      }
      let place = try prepareAnalytics(
        by: configuration.routes, of: shards.ownership, in: transaction)
      return (try self.succession(to: configuration, now: now, in: transaction), place)
    }
    self.configuration = configuration
    plan(with: planner)
    pruning.retention = configuration.retention
    take(succession, configuration)
    routeAnalytics(from: place, now: now)
  }

  /// Updates the planner's zones, which may have changed after it was made.
  private func upToDate(_ planner: Planner) -> Planner {
    let zones = self.planner.zones
    guard planner.zones.generation < zones.generation,
      let zone = try? zones.zone(named: planner.defaultZone.name)
    else { return planner }
    return planner.renewed(zones: zones, defaultZone: zone)
  }

  /// Plans with another planner from now on. All recipients become stale.
  func plan(with planner: Planner) {
    if schedule.stale.isEmpty { stalePlanner = self.planner }
    noteZones(of: planner)
    lostZones = LostZones()
    areZonesNew = false
    self.planner = planner
    plannings += 1
    configuration.planner = planner
    // All recipients are counted again, but no occurrence that is recorded.
    ended.forgetPlanned()
    schedule.replanEveryone()
  }
}
