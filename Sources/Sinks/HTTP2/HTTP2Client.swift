internal import NIOCore
internal import NIOPosix
package import Outbox
internal import TLS

/// An HTTP/2 client over TLS. One connection per server carries all concurrent requests.
///
/// A connection is opened on first use and kept. If nothing was received on it for a minute, a ping
/// checks it before the next use, so an idle client does no work. Requests that the server has not
/// processed are sent again immediately. These are refused requests, requests above the last stream
/// of a GOAWAY, and requests that were cut off before their end was sent. Other requests are not
/// repeated, because the server might process them twice.
///
/// libcurl sends chimed's HTTP/1.1 requests, but its version 7.88 (Debian 12) is unfit for HTTP/2.
/// If a server reads slowly, all requests on a connection wait for their deadlines while the thread
/// spins. A request beyond a GOAWAY fails. Endless empty DATA frames are read without return, past
/// every deadline.
package actor HTTP2Client: HTTPExchange {
  /// The client's event loop, on one thread that ends with the client.
  private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  private let tls: TLSContext
  /// The latest connection to each server.
  private var connections: [ExchangeOrigin: HTTP2Connection] = [:]
  /// The checks and openings of connections that are in progress, by server.
  private var openings: [ExchangeOrigin: Opening] = [:]

  private typealias Opening = Task<Result<HTTP2Connection, ExchangeError>, Never>

  /// The maximum number of times that an unprocessed request is sent.
  private static let attemptsMax = 4

  /// - Parameter trust: a PEM file of certificates to trust instead of the system's.
  /// - Throws: an outage if the certificates cannot be read.
  package init(trust: String? = nil) throws(SinkOutage) {
    do throws(TLSError) {
      tls = try TLSContext(connectingBy: HTTP2Connection.protocolName, trusting: trust)
    } catch {
      throw SinkOutage("the certificates in \(trust ?? "the system") cannot be read; give PEM")
    }
  }

  deinit {
    group.shutdownGracefully { _ in }
  }

  package func send(
    _ request: ExchangeRequest, before deadline: ContinuousClock.Instant
  ) async throws(ExchangeError) -> ExchangeResponse {
    var attempts = 0
    while true {
      attempts += 1
      let connection = try await connection(to: request.origin, before: deadline)
      do throws(ExchangeError) {
        return try await connection.exchange(request, before: deadline)
      } catch {
        guard case .unprocessed = error, attempts < Self.attemptsMax, .now < deadline else {
          throw error
        }
      }
    }
  }

  /// Returns a usable connection: the last one, or a new one that concurrent callers share.
  private func connection(
    to origin: ExchangeOrigin, before deadline: ContinuousClock.Instant
  ) async throws(ExchangeError) -> HTTP2Connection {
    let last = connections[origin]
    if let last, last.isOpen, !last.isQuiet { return last }
    if let opening = openings[origin] { return try await opening.value.get() }
    let opening = Opening { [loop = group.next(), tls] in
      if let last, await last.isAlive() { return .success(last) }
      return await HTTP2Connection.open(to: origin, on: loop, tls: tls, within: deadline - .now)
    }
    openings[origin] = opening
    let result = await opening.value
    openings[origin] = nil
    connections[origin] = try? result.get()
    return try result.get()
  }
}
