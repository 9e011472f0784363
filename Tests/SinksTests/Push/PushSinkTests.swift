import CivilTime
import DeliverySamples
import Outbox
import Reminders
import Sinks
import Synchronization
import Testing

/// Which devices a push sink tries, in which order, and how it handles failures of the service.
@Suite struct PushSinkTests {
  /// Accepts and records every push.
  private final class RecordingService: PushService {
    let platforms: Set<String> = ["ios"]
    private let entries = Mutex<[String]>([])

    var pushes: [String] { entries.withLock { $0 } }

    func push(
      _ delivery: Delivery, to device: Device, before deadline: ContinuousClock.Instant
    ) async -> PushResult {
      entries.withLock { $0.append("\(delivery.notification) \(device.identifier)") }
      return PushResult(.delivered)
    }
  }

  /// Gives the scripted results to the notifications 1, 2, … in order.
  private struct Script: PushService {
    let platforms: Set<String> = ["ios"]
    let results: [PushResult]

    func push(
      _ delivery: Delivery, to device: Device, before deadline: ContinuousClock.Instant
    ) async -> PushResult {
      results[Int(delivery.notification) - 1]
    }
  }

  private static let lost = PushResult(.retry(after: nil, reason: "the connection broke off"))
  private static let answered = PushResult(
    .retry(after: nil, reason: "429"),
    response: SinkResponse(status: "429", body: [], duration: .zero))
  private static let outage = PushResult(.outage(reason: "connecting failed"))

  private func sink(_ results: PushResult...) -> any ReportingSink {
    PushSink(
      SinkCommonSettings(name: "push", concurrency: 1), service: Script(results: results))
  }

  @Test func `D3: in an outage of the service no delivery uses up an attempt`() async throws {
    let progress = BatchProgress(count: 3)
    await #expect(throws: SinkOutage.self) {
      try await sink(Self.lost, Self.lost, Self.outage).deliver(
        [1, 2, 3].map { delivery($0, devices: 1) }, progress)
    }
    #expect(progress.answers.map(\.?.verdict) == [nil, nil, nil])
  }

  @Test func `D1: retries are reported as soon as the service is known to work`() async throws {
    let progress = BatchProgress(count: 3)
    let answers = try await sink(Self.lost, Self.answered, Self.lost).deliver(
      [1, 2, 3].map { delivery($0, devices: 1) }, progress)
    #expect(answers.allSatisfy { $0.isRetry })
    #expect(progress.answers == answers)
  }

  /// - Parameter devices: the number of devices. The device `d1` was registered last.
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

  /// Pushes one at a time, so that the record has the order in which pushes begin.
  private func push(_ deliveries: [Delivery]) async throws -> [String] {
    let service = RecordingService()
    let sink = PushSink(SinkCommonSettings(name: "push", concurrency: 1), service: service)
    let answers = try await sink.deliver(deliveries)
    #expect(answers.count { $0.isDelivered } == deliveries.count)
    return service.pushes
  }

  @Test func `D3: among thousands of devices, the 20 registered last are tried`() async throws {
    let pushes = try await push([delivery(1, devices: 3_000)])
    #expect(Set(pushes) == Set((1...20).map { "1 d\($0)" }), "the devices registered last")
    #expect(pushes.count == 20)
  }

  @Test func `D3: every delivery tries one device before any tries its second`() async throws {
    let pushes = try await push([1, 2, 3].map { delivery($0, devices: $0 == 2 ? 1 : 2) })
    let first = pushes.prefix(3).compactMap(\.first)
    #expect(Set(first) == ["1", "2", "3"] && pushes.count == 5)
  }
}
