/// A recipient's device that receives push notifications.
public struct ChimedDevice: Hashable, Sendable, Encodable {
  public enum Platform: String, Sendable, Encodable {
    case ios, android, web
  }

  /// The app's own id of the device. A registration replaces an earlier one with the same id.
  public var id: String
  public var platform: Platform
  /// The token of the push service: of APNs in hexadecimal digits, or of Firebase.
  public var token: String

  public init(id: String, platform: Platform, token: String) {
    self.id = id
    self.platform = platform
    self.token = token
  }

  /// Creates a device with a token of APNs, which
  /// `didRegisterForRemoteNotificationsWithDeviceToken` provides.
  public init(id: String, apnsToken: some Sequence<UInt8>) {
    let digits = apnsToken.map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }
    self.init(id: id, platform: .ios, token: digits.joined())
  }

  private enum CodingKeys: String, CodingKey {
    case id = "deviceId"
    case platform, token
  }
}
