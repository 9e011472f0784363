import CivilTime
import Engine
import Reminders

/// The pause of the sink: the state that the operator wants, and the state that the service has
/// confirmed.
struct Pause {
  var isWanted = false
  /// The confirmed state; nil while it is unknown, because the service died during the request.
  var confirmed: Bool? = false
  /// The instant of the last request to the service.
  var lastRequest: Instant?
}

/// The operator's requests to pause or resume the sink, which are repeated until the service
/// confirms them.
extension Life {
  /// Requests the state that the operator wants, unless the service has confirmed it.
  ///
  /// - Returns: whether there was a request.
  func requestPause() -> Bool {
    guard pause.confirmed != pause.isWanted, pause.lastRequest != clocks.now, process != nil else {
      return false
    }
    let isWanted = pause.isWanted
    (pause.lastRequest, pause.confirmed) = (clocks.now, nil)
    post("pause") {
      .pauseSink(sink.name, isWanted, $0)
    } then: { [self] result in
      guard case .success(let isKnown) = result else { return }
      if !isKnown { addFinding("the service does not know the sink") }
      pause.confirmed = isWanted
    }
    return true
  }

  /// Checks that no delivery reaches a sink after the service has confirmed the pause.
  func judgePause(_ deliveries: [Reminders.Delivery]) {
    guard pause.confirmed == true, pause.isWanted else { return }
    addFinding("sent to a paused sink: \(deliveries.map(\.notification))")
  }
}
