import CivilTime
import Fleet
import TestSupport

/// An event that is being submitted.
struct ModelRequest {
  enum Outcome {
    case accepted
    case refused
  }

  let event: ModelEvent
  let answer: (Outcome) -> Void
}

/// Apps that submit events and repeat unacknowledged events. Their list of owners is outdated, so
/// many events go to the wrong node.
final class ModelClient {
  private let world: FleetWorld
  private let server: ModelServer
  private let processes: [ModelProcess]
  private(set) var acknowledged: [Int: ModelEvent] = [:]
  private(set) var waiting: Set<Int> = []
  private var routes: [Incarnation?] = []

  init(_ world: FleetWorld, _ server: ModelServer, _ processes: [ModelProcess]) {
    (self.world, self.server, self.processes) = (world, server, processes)
  }

  /// Schedules events.
  ///
  /// - Parameter count: the number of events until `end`.
  func scheduleEvents(_ count: Int, until end: TimeSpan) {
    learnRoutes()
    for id in 1...max(1, count) {
      let at = world.milliseconds(0..<Int(end.milliseconds))
      let shard = world.random.int(in: 0..<server.shards.count)
      let dues = (0..<world.random.int(in: 1..<3)).map { _ in at + world.milliseconds(0..<9_000) }
      let recipient = shard * 8 + world.random.int(in: 0..<2)
      let event = ModelEvent(id: id, shard: shard, recipient: recipient, dues: dues)
      world.after(at) {
        self.waiting.insert(id)
        self.world.tally.events += 1
        self.send(event)
      }
    }
  }

  private func learnRoutes() {
    routes = server.shards.map(\.owner)
    world.after(world.milliseconds(200..<3_000)) { self.learnRoutes() }
  }

  private func send(_ event: ModelEvent) {
    let owner = processes.first { $0.incarnation == routes[event.shard] && $0.isAlive }
    let isStray = world.random.isOne(of: 8)
    let process = isStray ? world.random.pick(processes) : owner ?? world.random.pick(processes)
    var isOver = false
    let answer = { (outcome: ModelRequest.Outcome) in
      self.world.after(self.world.milliseconds(0..<5)) {
        if outcome == .accepted { self.acknowledge(event) }
        guard !isOver else { return }
        isOver = true
        if outcome == .refused { self.retry(event) }
      }
    }
    world.after(world.milliseconds(0..<5)) {
      process.enter {
        guard let engine = process.engine else { return answer(.refused) }
        engine.submit(ModelRequest(event: event, answer: answer))
      }
    }
    world.after(.seconds(2)) {
      guard !isOver else { return }
      isOver = true
      self.retry(event)
    }
  }

  private func acknowledge(_ event: ModelEvent) {
    acknowledged[event.id] = event
    waiting.remove(event.id)
  }

  private func retry(_ event: ModelEvent) {
    world.after(world.milliseconds(50..<500)) {
      if self.waiting.contains(event.id) { self.send(event) }
    }
  }
}
