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

/// Apps that submit events and repeat unacknowledged events. Their list of owners is often
/// outdated, so many events go to the wrong node.
final class ModelClient {
  private let world: FleetWorld
  private let server: ModelServer
  private let processes: [ModelProcess]
  /// The acknowledged events, by id.
  private(set) var acknowledged: [Int: ModelEvent] = [:]
  /// The ids of the events that were sent and are not yet acknowledged.
  private(set) var unacknowledged: Set<Int> = []
  /// The owner of each shard, as far as the apps know.
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
      let dueTimes = (0..<world.random.int(in: 1..<3)).map { _ in
        at + world.milliseconds(0..<9_000)
      }
      let recipient = shard * 8 + world.random.int(in: 0..<2)
      let event = ModelEvent(id: id, shard: shard, recipient: recipient, dueTimes: dueTimes)
      world.after(at) {
        self.unacknowledged.insert(id)
        self.world.tally.events += 1
        self.send(event)
      }
    }
  }

  /// Reads the owners now, and again at random intervals.
  private func learnRoutes() {
    routes = server.shards.map(\.owner)
    world.after(world.milliseconds(200..<3_000)) { self.learnRoutes() }
  }

  /// Sends an event to the shard's owner, to a random node if no owner is known, or sometimes to a
  /// random node anyway. Repeats the event if the answer is a refusal, or is late.
  private func send(_ event: ModelEvent) {
    let owner = processes.first { $0.incarnation == routes[event.shard] && $0.isAlive }
    let isMisdirected = world.random.isOne(of: 8)
    let target = isMisdirected ? nil : owner
    let process = target ?? world.random.pick(processes)
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
    unacknowledged.remove(event.id)
  }

  private func retry(_ event: ModelEvent) {
    world.after(world.milliseconds(50..<500)) {
      if self.unacknowledged.contains(event.id) { self.send(event) }
    }
  }
}
