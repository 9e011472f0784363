import CivilTime
import Store

/// Rule T6: a service that starts with a clock far behind its own records has no idea what time it
/// is, as on a machine whose clock has lost its battery. It fires nothing and takes nothing in, for
/// all of that would be recorded at a wrong time, until the clock has caught up.
extension EngineCore {
  /// By how much the clock may be behind the newest record, as it is after a small correction.
  static let clockTolerance = TimeSpan.minutes(5)

  /// When a clock that is behind is right at the earliest.
  var clockRelease: Instant? { clockHold.map { $0 - Self.clockTolerance } }

  /// Looks at the clock when the service starts.
  func checkClock(_ now: Instant, in transaction: StoreTransaction) throws {
    guard let newest = try transaction.newestRecord() else { return }
    if now < newest - Self.clockTolerance { clockHold = newest }
  }

  /// Whether nothing is to be done because of the clock. Who reloads the service says that the
  /// clock is right: it was the one before that ran ahead.
  func isHeld(_ requests: [Request], now: Instant) -> Bool {
    guard let hold = clockHold else { return false }
    let isTrusted = requests.contains(where: \.isAdoption)
    if isTrusted { latest = hold }
    guard let release = clockRelease, now < release, !isTrusted else {
      clockHold = nil
      return false
    }
    let behind = ServiceUnavailable(
      .clockBehind,
      "the service's clock says \(now), which is before what it recorded at \(hold); nothing is "
        + "taken in until the clock is right")
    for request in requests where !answerAtOnce(request, now: now) { refuse(request, behind) }
    return true
  }
}
