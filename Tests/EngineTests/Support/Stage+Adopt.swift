import Outbox
import Reminders

@testable import Engine

extension Stage {
  /// Takes the sinks, routes and limits that the stage has now into use while the service runs, and
  /// does what follows from that.
  ///
  /// - Parameters:
  ///   - kept: the sinks that are those of before.
  ///   - planner: the same if nil.
  func adopt(keeping kept: Set<String> = [], planner: Planner? = nil) throws {
    let answer = Answered<Planner>()
    let configuration = RuntimeConfiguration(
      planner: planner ?? self.planner, sinks: sinks,
      routes: routes ?? Routes(allTo: sink.name), limits: limits, kept: kept)
    try turn([.adopt(configuration, answer.take)])
    _ = try answer.value()
  }
}
