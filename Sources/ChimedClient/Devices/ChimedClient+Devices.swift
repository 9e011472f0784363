extension ChimedClient {
  /// Registers a recipient's device for push notifications. The request is sent again after a
  /// temporary failure.
  @discardableResult
  public func register(
    _ device: ChimedDevice, of recipient: String
  ) async throws(ChimedError) -> ChimedReceipt {
    try await send(try ChimedEvent("device.registered", of: recipient, data: device))
  }

  /// Removes a device, for example at sign-out. The request is sent again after a temporary
  /// failure.
  @discardableResult
  public func removeDevice(
    _ id: String, of recipient: String
  ) async throws(ChimedError) -> ChimedReceipt {
    try await send(try ChimedEvent("device.removed", of: recipient, data: ["deviceId": id]))
  }
}
