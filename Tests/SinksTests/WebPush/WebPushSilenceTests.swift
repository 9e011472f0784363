import CivilTime
import Cryptography
import DeliverySamples
import Outbox
import Reminders
import Sinks
import Testing

/// Rule D3: when a browser's push service counts as silent.
@Suite(.timeLimit(.minutes(1))) struct WebPushSilenceTests {
  private let names = HeldNames()
  private let service: WebPushService

  init() throws {
    let key = try #require(VAPIDKey(Secret(WebPushStage.key), subject: "mailto:a@example.org"))
    let client = try SafeHTTPClient(
      HTTPSettings(policy: Surroundings.loopback), deadline: .milliseconds(300), concurrency: 100,
      resolver: names.resolver, freshness: .zero)
    service = WebPushService(key: key, client: client, now: { Fixtures.noon })
  }

  /// A browser with the keys of the example in RFC 8291.
  private func device(at host: String) -> Device {
    let keys =
      "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4 "
      + "BTBZMqHH6r4Tts7J_aSIgg"
    return Device(
      identifier: "browser", platform: "web", token: "https://\(host)/ \(keys)",
      stamp: Stamp(time: Fixtures.noon, order: 1))
  }

  /// Pushes to the hosts concurrently, and returns the reasons of the retries.
  private func reasons(_ hosts: [String]) async -> [String] {
    await withTaskGroup(of: PushResult.self) { group in
      for host in hosts {
        group.addTask {
          await service.push(Fixtures.delivery(1), to: device(at: host), before: .now)
        }
      }
      return await group.reduce(into: []) { reasons, result in
        if case .retry(_, let reason) = result.outcome { reasons.append(reason) }
      }
    }
  }

  private func pushes(_ count: Int, to host: String) async -> [String] {
    await reasons(Array(repeating: host, count: count))
  }

  private let trialReason = "no answer yet to another push"

  @Test func `a cancelled batch does not mark a host as silent`() async throws {
    let server = try SilentServer()
    let host = "127.0.0.1:\(server.port)"
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await pushes(12, to: host)
    }
    #expect(await cancelled.value.count { $0.contains("the request was cancelled") } == 12)
    let reasons = await pushes(2, to: host)
    #expect(reasons.count == 2 && !reasons.contains { $0.contains(trialReason) }, "\(reasons)")
  }

  @Test func `waiting while other names are resolved does not mark a host as silent`() async {
    #expect(await reasons((0..<6).map { "slow-\($0).invalid" }).count == 6)
    for _ in 0..<2 {
      let reasons = await pushes(12, to: "good.invalid")
      #expect(reasons.count { $0.contains("too many other names") } == 12, "\(reasons)")
    }
    names.release()
  }

  @Test func `a host whose name servers are silent counts as silent`() async {
    let first = await pushes(12, to: "slow.invalid")
    #expect(first.count { $0.contains("resolving its name took too long") } >= 8, "\(first)")
    let second = await pushes(12, to: "slow.invalid")
    #expect(second.contains { $0.contains(trialReason) }, "\(second)")
    names.release()
  }
}
