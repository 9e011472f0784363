import CivilTime
import DeliverySamples
import Outbox
import Reminders
import Sinks
import Synchronization
import Testing

/// Which devices of whom are tried, and in what order.
@Suite struct PushSinkTests {
  /// Takes everything, and notes it.
  private final class Notebook: PushService {
    let platforms: Set<String> = ["ios"]
    private let entries = Mutex<[String]>([])

    var pushed: [String] { entries.withLock { $0 } }

    func push(
      _ delivery: Delivery, to device: Device, before deadline: ContinuousClock.Instant
    ) async -> PushResult {
      entries.withLock { $0.append("\(delivery.notification) \(device.identifier)") }
      return PushResult(.delivered)
    }
  }

  /// - Parameter devices: how many there are, of which the last was registered first.
  private func delivery(_ notification: Int64, devices count: Int) -> Delivery {
    var delivery = Fixtures.delivery(notification)
    let devices = (1...count).map { number in
      Device(
        identifier: "d\(number)", platform: "ios", token: "t\(number)",
        stamp: Stamp(time: Fixtures.noon - .seconds(number), order: 1))
    }
    delivery.addressee = Addressee(zone: "UTC", devices: devices.shuffled())
    return delivery
  }

  /// One after the other, so that what is begun first is noted first.
  private func push(_ deliveries: [Delivery]) async throws -> [String] {
    let service = Notebook()
    let sink = PushSink(SinkCommonSettings(name: "push", concurrency: 1), service: service)
    let answers = try await sink.deliver(deliveries)
    #expect(answers.count { $0.isDelivered } == deliveries.count)
    return service.pushed
  }

  @Test func d3WhoHasThousandsOfDevicesHasNotAllPushes() async throws {
    let pushed = try await push([delivery(1, devices: 3_000)])
    #expect(Set(pushed) == Set((1...20).map { "1 d\($0)" }), "those that were registered last")
    #expect(pushed.count == 20)
  }

  @Test func d3EverybodyHasOneBeforeAnybodyHasTheNext() async throws {
    let pushed = try await push([1, 2, 3].map { delivery($0, devices: $0 == 2 ? 1 : 2) })
    let first = pushed.prefix(3).compactMap(\.first)
    #expect(Set(first) == ["1", "2", "3"] && pushed.count == 5)
  }
}
