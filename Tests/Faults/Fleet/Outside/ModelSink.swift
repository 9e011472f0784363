import CivilTime
import Fleet

/// A delivery to a sink.
struct ModelDelivery: Hashable {
  let id: Int64
  let occurrence: Int
  let tenure: Tenure
  /// The node that dispatched the delivery.
  let holder: Incarnation

  var shard: Int { tenure.shard }
}

/// A sink that accepts every delivery after some time.
final class ModelSink {
  private let world: FleetWorld
  /// The time until which the sink is slow.
  var slowUntil = TimeSpan.zero

  init(_ world: FleetWorld) {
    self.world = world
  }

  /// Accepts a delivery; calls `answer` after some time.
  func take(_ delivery: ModelDelivery, _ answer: @escaping () -> Void) {
    let isSlow = world.now < slowUntil
    world.after(isSlow ? world.milliseconds(500..<6_000) : world.milliseconds(2..<120), answer)
  }
}
