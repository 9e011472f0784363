import CivilTime
package import Delivery
package import Reminders
import Systemd

/// Carries deliveries to all devices of a person that one push service reaches.
///
/// A delivery is delivered as soon as one device took it; it is tried again only if none did and
/// one may later. So no device that took it is handed it again by a retry. A crash, and a
/// connection that breaks before the answer, can repeat a push; the service is then given the same
/// identifiers, by which the device shows it once, in the place of the first.
package struct PushSink<Service: PushService>: Sink {
  package let name: String
  private let service: Service
  private let deadline: TimeSpan
  private let concurrency: Int

  /// What a crash can repeat.
  package var window: Int { 256 }
  package var needsAddressee: Bool { true }

  /// How many pushes are under way at once, unless the configuration says otherwise: enough to
  /// fill a connection on which an answer takes a tenth of a second with a thousand a second.
  private static var concurrencyUsual: Int { 100 }

  package init(_ common: SinkCommonSettings, service: Service) {
    name = common.name
    deadline = common.deadline
    concurrency = common.concurrency ?? Self.concurrencyUsual
    self.service = service
  }

  package func deliver(_ deliveries: [Delivery]) async throws(SinkOutage) -> [SinkAnswer] {
    var tallies = deliveries.map { PushTally(devices: devices(of: $0)) }
    let outage = await push(deliveries, &tallies)
    // What waited behind an outage comes again by itself, unless something has an answer already.
    if let outage, !tallies.contains(where: \.isAnswered) { throw SinkOutage(outage) }
    return tallies.map { $0.answer(outage: outage) }
  }

  private func devices(of delivery: Delivery) -> [Device] {
    (delivery.addressee?.devices ?? []).filter { service.reaches($0) }
  }

  /// Works through all devices, so many at once, until an outage.
  ///
  /// - Returns: why it ended early, if it did.
  private func push(_ deliveries: [Delivery], _ tallies: inout [PushTally]) async -> String? {
    let work = tallies.indices.flatMap { index in tallies[index].devices.map { (index, $0) } }
    var rest = work.makeIterator()
    var outage: String?
    await withTaskGroup(of: (Int, Device, PushResult).self) { group in
      var underWay = 0
      while true {
        while outage == nil, underWay < concurrency, let (index, device) = rest.next() {
          underWay += 1
          group.addTask {
            let end = ContinuousClock.now.advanced(by: .milliseconds(deadline.milliseconds))
            return (index, device, await service.push(deliveries[index], to: device, before: end))
          }
        }
        guard let (index, device, result) = await group.next() else { return }
        underWay -= 1
        if case .outage(let reason) = result.outcome { outage = outage ?? reason }
        tallies[index].add(result, of: device)
      }
    }
    return outage
  }
}
