import CivilTime
package import Outbox
package import Reminders

/// The results of one delivery on a recipient's devices, combined.
package struct PushTally: Sendable {
  /// The devices to which the delivery is sent.
  package let devices: [Device]
  /// The results so far, in order of arrival.
  private var results: [(device: Device, result: PushResult)] = []

  package init(devices: [Device]) {
    self.devices = devices
  }

  package mutating func add(_ result: PushResult, of device: Device) {
    results.append((device, result))
  }

  /// Whether the service has responded for any device.
  package var isAnswered: Bool {
    results.contains { $0.result.response != nil && !$0.result.isOutage }
  }

  /// Whether the result is final, whatever happens to the rest of the batch.
  var isComplete: Bool {
    results.count == devices.count && !results.contains(where: \.result.isOutage)
  }

  /// - Parameter outage: why devices were skipped; nil if no device was skipped.
  package func answer(outage: String?) -> SinkAnswer {
    let (verdict, response) = verdict(outage)
    return SinkAnswer(verdict, response: response, goneDevices: goneDevices)
  }

  /// The identifiers of the devices that are no longer registered.
  private var goneDevices: [String] {
    results.compactMap { device, result in
      if case .gone = result.outcome { device.identifier } else { nil }
    }
  }

  private func verdict(_ outage: String?) -> (SinkAnswer.Verdict, SinkResponse?) {
    guard !devices.isEmpty else {
      return (.rejected(reason: "the recipient has no device that this sink reaches"), nil)
    }
    if let accepted = results.first(where: { $0.result.outcome == .delivered }) {
      return (.delivered, accepted.result.response)
    }
    if let retry { return retry }
    if results.count < devices.count || results.contains(where: \.result.isOutage) {
      return (.retry(after: nil, reason: outage ?? "the service was not reached"), nil)
    }
    return refusal
  }

  /// The verdict if a device may accept the notification later. The delay is the longest requested
  /// one, because all devices are tried again together.
  private var retry: (SinkAnswer.Verdict, SinkResponse?)? {
    var longest: (after: TimeSpan?, reason: String, response: SinkResponse?)?
    for (_, result) in results {
      guard case .retry(let after, let reason) = result.outcome else { continue }
      if let previous = longest, (previous.after ?? .zero) >= (after ?? .zero) { continue }
      longest = (after, reason, result.response)
    }
    return longest.map { (.retry(after: $0.after, reason: $0.reason), $0.response) }
  }

  /// The verdict if no device accepted the notification and none will. A rejection is more
  /// informative than a removed device.
  private var refusal: (SinkAnswer.Verdict, SinkResponse?) {
    var goneReason: (String, SinkResponse?)?
    for (_, result) in results {
      switch result.outcome {
      case .rejected(let reason): return (.rejected(reason: reason), result.response)
      case .gone(let reason): goneReason = goneReason ?? (reason, result.response)
      default: continue
      }
    }
    let (reason, response) = goneReason ?? ("no device accepted it", nil)
    return (.rejected(reason: reason), response)
  }
}
