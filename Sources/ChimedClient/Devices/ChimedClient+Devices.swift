extension ChimedClient {
  /// Registers a recipient's device for push notifications; sent again after temporary failures.
  @discardableResult
  public func register(
    _ device: ChimedDevice, of recipient: String
  ) async throws(ChimedError) -> ChimedReceipt {
    try await send(try ChimedEvent("device.registered", of: recipient, data: device))
  }

  /// Removes a device, for example at sign-out.
  @discardableResult
  public func removeDevice(
    _ id: String, of recipient: String
  ) async throws(ChimedError) -> ChimedReceipt {
    try await send(try ChimedEvent("device.removed", of: recipient, data: ["deviceId": id]))
  }
}
