import Outbox
import Reminders

@testable import Engine

extension Stage {
  /// Reloads with the stage's current sinks, routes and limits, and carries out the effects.
  ///
  /// - Parameters:
  ///   - kept: The names of the sinks that stay unchanged.
  ///   - planner: The new planner; the current one if nil.
  func adopt(keeping kept: Set<String> = [], planner: Planner? = nil) throws {
    let answer = AnswerBox<Planner>()
    let configuration = RuntimeConfiguration(
      planner: planner ?? self.planner, sinks: sinks,
      routes: routes ?? Routes(allTo: sink.name), limits: limits, unchangedSinks: kept)
    try turn([.adopt(configuration, answer.take)])
    _ = try answer.value()
  }
}
