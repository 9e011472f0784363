internal import Foundation

extension ChimedClient {
  /// Reports an event. The event is on disk when this method returns.
  ///
  /// After a temporary failure the event is sent again, with the same id, so that it is ingested
  /// once.
  ///
  /// - Returns: `accepted` or `duplicate`.
  /// - Throws: `ChimedError.refused` if the service rejects the event.
  @discardableResult
  public func send(_ event: ChimedEvent) async throws(ChimedError) -> ChimedReceipt {
    let body = try await post(try event.document(), as: "application/cloudevents+json")
    return try ChimedReceipt(ChimedDocument.decode(ChimedReceipt.Item.self, from: body))
  }

  /// Reports many events at once, up to 8 MiB.
  ///
  /// After a temporary failure the whole batch is sent again, with the same ids.
  ///
  /// - Returns: the result of each event, in order.
  @discardableResult
  public func send(_ events: [ChimedEvent]) async throws(ChimedError) -> [ChimedReceipt] {
    guard !events.isEmpty else { return [] }
    var batch = Data("[".utf8)
    for event in events {
      if batch.count > 1 { batch += Data(",".utf8) }
      batch += try event.document()
    }
    batch += Data("]".utf8)
    let body = try await post(batch, as: "application/cloudevents-batch+json")
    let items = try ChimedDocument.decode(Results.self, from: body).items
    guard items.count == events.count else {
      throw .unreadable("it has \(items.count) results for \(events.count) events")
    }
    var receipts: [ChimedReceipt] = []
    for item in items { receipts.append(try ChimedReceipt(item)) }
    return receipts
  }

  private struct Results: Decodable {
    let items: [ChimedReceipt.Item]
  }

  private func post(_ body: Data, as type: String) async throws(ChimedError) -> Data {
    try await retrying { () async throws(ChimedError) in
      try await request("POST", "/v1/events", body: body, headers: ["Content-Type": type])
    }
  }
}
