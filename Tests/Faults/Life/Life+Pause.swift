import CivilTime
import Engine
import Reminders

/// Whether the sink is paused: what the operator wants, and what the service has confirmed.
struct Pause {
  var isWanted = false
  /// The confirmed state; nil while it is unknown, because the service died during the request.
  var confirmed: Bool? = false
  /// The instant of the last request to the service.
  var lastRequest: Instant?
}

/// An operator who repeats the request until the service confirms it.
extension Life {
  /// - Returns: whether there was something to request.
  func askForPause() -> Bool {
    guard pause.confirmed != pause.isWanted, pause.lastRequest != clocks.now, process != nil else {
      return false
    }
    let isWanted = pause.isWanted
    (pause.lastRequest, pause.confirmed) = (clocks.now, nil)
    post("pause") {
      .pauseSink(sink.name, isWanted, $0)
    } then: { [self] result in
      guard case .success(let isThere) = result else { return }
      if !isThere { find("the service does not know the sink") }
      pause.confirmed = isWanted
    }
    return true
  }

  /// Checks that no delivery reaches a sink after the service has confirmed the pause.
  func judgePause(_ deliveries: [Reminders.Delivery]) {
    guard pause.confirmed == true, pause.isWanted else { return }
    find("sent to a paused sink: \(deliveries.map(\.notification))")
  }
}
