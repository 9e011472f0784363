internal import AsyncHTTPClient
package import CivilTime
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
package import Outbox
internal import Synchronization

/// What sinks send by: a client that follows no redirect, connects only where it may, keeps every
/// deadline and reads no more than the beginning of an answer.
///
/// It speaks HTTP/1.1, with as many connections as requests at once, and keeps them for the next
/// request. It has a thread of its own, which ends with it.
package final class SafeHTTPClient: Sendable {
  /// Where tasks should run that send much.
  package let executor = LoopExecutor()
  private let configuration: HTTPClient.Configuration
  private let timeout: TimeAmount
  private let lookup: CheckedLookup
  /// By host.
  private let connections = Mutex<[String: PinnedConnections]>([:])
  /// To how many hosts connections are kept.
  private static let hostsMax = 64

  /// - Parameters:
  ///   - deadline: how long a request may take, from looking up the name to the end of the answer.
  ///   - concurrency: how many requests are under way at once.
  ///   - freshness: for how long what a name stands for is not asked again.
  package init(
    _ settings: HTTPSettings, deadline: TimeSpan, concurrency: Int,
    resolver: AddressResolver = .system, freshness: TimeSpan = .seconds(1)
  ) throws(SinkOutage) {
    timeout = .milliseconds(deadline.milliseconds)
    lookup = CheckedLookup(
      policy: settings.policy, resolver: resolver,
      freshness: .milliseconds(freshness.milliseconds))
    var configuration = HTTPClient.Configuration(
      tlsConfiguration: try settings.makeTLS(), redirectConfiguration: .disallow)
    configuration.httpVersion = .http1Only
    // Of several addresses, a second one gets its chance before the deadline.
    configuration.timeout.connect = min(.seconds(10), .nanoseconds(timeout.nanoseconds / 2))
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = concurrency
    configuration.connectionPool.idleTimeout = .seconds(30)
    configuration.connectionPool.retryConnectionEstablishment = false
    // Meant for looking at connections; there is no other way to add to their pipeline.
    configuration.http1_1ConnectionDebugInitializer = { channel in
      channel.eventLoop.submit {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(FlushGathering(), position: .first)
        try ReplyGate.add(to: pipeline)
      }
    }
    self.configuration = configuration
  }

  /// Sends a request and waits for the beginning of the answer.
  ///
  /// Whatever the status, a head that came in time is an answer. A request that meets a connection
  /// which the other side is just closing is sent once more, so it must bear being sent twice.
  package func send(
    _ request: HTTPRequest, to url: HTTPURL
  ) async throws(HTTPFailure) -> HTTPReply {
    let start = NIODeadline.now()
    let deadline = start + timeout
    let addresses = try await lookup.addresses(
      of: url.host, before: deadline, on: executor.loops.any())
    var failure = HTTPFailure.unreachable("its name stands for no address")
    for address in inOrder(addresses, of: url.host) where NIODeadline.now() < deadline {
      do throws(HTTPFailure) {
        var reply = try await pinned(url.host, address)
          .post(url.request(with: request), before: deadline)
        reply.duration = TimeSpan(milliseconds: (NIODeadline.now() - start).nanoseconds / 1_000_000)
        return reply
      } catch {
        guard case .unreachable = error else { throw error }
        failure = error
      }
    }
    throw failure
  }

  /// The one that there are connections to first.
  private func inOrder(_ addresses: [NetworkAddress], of host: String) -> [NetworkAddress] {
    guard let current = connections.withLock({ $0[host]?.address }),
      let index = addresses.firstIndex(of: current)
    else { return addresses }
    return Array(addresses[index...] + addresses[..<index])
  }

  /// Connections to an address; those that the host had to another one end with their requests.
  private func pinned(_ host: String, _ address: NetworkAddress) -> PinnedConnections {
    connections.withLock { connections in
      if let current = connections[host], current.address == address { return current }
      // Where people choose the host, there is no end to them.
      if connections.count >= Self.hostsMax { connections.removeAll() }
      let fresh = PinnedConnections(
        host: host, address: address, configuration: configuration, executor: executor)
      connections[host] = fresh
      return fresh
    }
  }
}

extension HTTPURL {
  fileprivate func request(with content: HTTPRequest) -> HTTPClient.Request {
    var request = prepared
    request.headers.reserveCapacity(content.fields.count + 2)
    for field in content.fields {
      request.headers.add(name: field.name.rawName, value: field.value)
    }
    if !content.body.isEmpty || request.method != .GET {
      request.body = .byteBuffer(ByteBuffer(bytes: content.body))
    }
    return request
  }
}
