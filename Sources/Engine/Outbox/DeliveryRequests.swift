/// Requests about deliveries, carried out within an engine cycle: answers of sinks, dead letters
/// and test notifications. They read recipients and may report events.
struct DeliveryRequests {
  /// The store's own name, with which the ids of notifications begin.
  let instance: String
  let outbox: EngineOutbox
  let ingestion: Ingestion
}
