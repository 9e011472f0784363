import CivilTime
import Engine
import Reminders

/// Whether the sink is paused: what the operator wants, and what the service has said.
struct Pause {
  var wanted = false
  /// Nil while it is not known, for the service died of being asked.
  var confirmed: Bool? = false
  /// When it was asked last.
  var asked: Instant?
}

/// An operator who asks until the service has done it.
extension Life {
  /// - Returns: whether there was something to ask.
  func askForPause() -> Bool {
    guard pause.confirmed != pause.wanted, pause.asked != clocks.now, process != nil else {
      return false
    }
    let wanted = pause.wanted
    (pause.asked, pause.confirmed) = (clocks.now, nil)
    post("pause") {
      .pauseSink(sink.name, wanted, $0)
    } then: { [self] result in
      guard case .success(let isThere) = result else { return }
      if !isThere { find("the sink is not there to be paused") }
      pause.confirmed = wanted
    }
    return true
  }

  /// What is handed to a sink after the service has said that it is paused.
  func judgePause(_ deliveries: [Reminders.Delivery]) {
    guard pause.confirmed == true, pause.wanted else { return }
    find("handed to a sink that is paused: \(deliveries.map(\.notification))")
  }
}
