import CivilTime
import Engine
import Reminders

/// Whether the sink is paused: the operator's wish, and the service's answer.
struct Pause {
  var wanted = false
  /// The confirmed state; nil while it is unknown, because the service died during the request.
  var confirmed: Bool? = false
  /// The instant of the last request to the service.
  var asked: Instant?
}

/// An operator who repeats the request until the service confirms it.
extension Life {
  /// - Returns: whether there was something to request.
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
      if !isThere { find("the service does not know the sink") }
      pause.confirmed = wanted
    }
    return true
  }

  /// Checks that no delivery reaches a sink after the service has confirmed the pause.
  func judgePause(_ deliveries: [Reminders.Delivery]) {
    guard pause.confirmed == true, pause.wanted else { return }
    find("sent to a paused sink: \(deliveries.map(\.notification))")
  }
}
