package import CivilTime
import JSON

extension Event {
  /// Who reports what the service itself finds out.
  package static let ownSource = "chimed"

  /// Says that a push service does not know a device any more.
  ///
  /// - Parameter time: when it was still taken to be there.
  package init(
    removing device: String, of recipient: String, at time: Instant, identifier: String
  ) {
    self.init(
      identifier: identifier, source: Self.ownSource, type: "device.removed",
      recipient: recipient, time: time, isTimeGiven: true,
      content: .device(DeviceChange(identifier: device, platform: "", token: nil)),
      data: JSONWriter.canonical(["deviceId": .string(device)]))
  }
}
