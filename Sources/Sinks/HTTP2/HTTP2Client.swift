internal import NIOCore
internal import NIOPosix
package import Outbox
internal import TLS

/// Speaks HTTP/2 over TLS: one connection to each server, many requests on it at once.
///
/// A connection is opened when it is first needed and kept. One that was silent for a while is
/// asked by a ping whether it still lives before it is used again, so an idle client does nothing.
/// What a server has not processed, be it refused, above the last stream of a GOAWAY or cut off
/// before its end was sent, is sent again at once; nothing else is, as it might be done twice.
package actor HTTP2Client: HTTPExchange {
  /// A thread of its own, which ends with the client.
  private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  private let tls: TLSContext
  private var connections: [ExchangeOrigin: HTTP2Connection] = [:]
  private var openings: [ExchangeOrigin: Opening] = [:]

  private typealias Opening = Task<Result<HTTP2Connection, ExchangeFailure>, Never>

  /// How often an unprocessed request is sent.
  private static let attemptsMax = 4

  /// - Parameter trust: a file of certificates in PEM to be trusted instead of the system's.
  /// - Throws: what is wrong with the certificates.
  package init(trust: String? = nil) throws(SinkOutage) {
    do throws(TLSFault) {
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
  ) async throws(ExchangeFailure) -> ExchangeResponse {
    var attempts = 0
    while true {
      attempts += 1
      let connection = try await connection(to: request.origin, before: deadline)
      do throws(ExchangeFailure) {
        return try await connection.exchange(request, before: deadline)
      } catch {
        guard case .unprocessed = error, attempts < Self.attemptsMax, .now < deadline else {
          throw error
        }
      }
    }
  }

  /// One that can be used: the last one, or a new one, for which all who ask meanwhile wait.
  private func connection(
    to origin: ExchangeOrigin, before deadline: ContinuousClock.Instant
  ) async throws(ExchangeFailure) -> HTTP2Connection {
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
