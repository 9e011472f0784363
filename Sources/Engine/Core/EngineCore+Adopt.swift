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
      let detail = "the service is stopping and adopts no configuration"
      return answer(.failure(ServiceUnavailable(.stopping, detail)))
    }
    try adopt(configuration, now: now)
    publish(now: now)
    answer(.success(planner))
  }

  private func adopt(_ configuration: RuntimeConfiguration, now: Instant) throws(StoreError) {
    let planner = planning.updated(configuration.planner)
    let (lanes, cursors) = try store.commit { transaction in
      try planning.record(planner, isDone: schedule.recipients == 0, in: transaction)
      if planner.fingerprint != self.planner.fingerprint {
        try planning.recordStart(now, in: transaction)
      }
      let cursors = try outbox.prepareAnalytics(
        by: configuration.routes, of: shards.ownership, in: transaction)
      return (try outbox.succession(to: configuration, now: now, in: transaction), cursors)
    }
    outbox.configuration = configuration
    plan(with: planner)
    maintenance.pruning.retention = configuration.retention
    outbox.apply(lanes, configuration)
    outbox.routeAnalytics(from: cursors, now: now)
  }

  /// Plans with another planner from now on. All recipients become stale: they have to be
  /// replanned.
  func plan(with planner: Planner) {
    planning.adopt(planner, isReplanning: !schedule.stale.isEmpty)
    outbox.configuration.planner = planner
    schedule.replanEveryone()
  }
}
