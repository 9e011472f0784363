internal import AsyncHTTPClient
internal import NIOCore

/// Connections to one address of one host: the address that was checked, whatever the name may
/// stand for by now.
final class PinnedConnections: Sendable {
  let address: NetworkAddress
  private let client: HTTPClient
  private let executor: LoopExecutor

  init(
    host: String, address: NetworkAddress, configuration: HTTPClient.Configuration,
    executor: LoopExecutor
  ) {
    var configuration = configuration
    // The client takes Host and SNI from the URL, and connects to this.
    if NetworkAddress(host) == nil { configuration.dnsOverride = [host: address.description] }
    self.address = address
    self.executor = executor
    client = HTTPClient(eventLoopGroup: executor.loops, configuration: configuration)
  }

  deinit {
    // The thread stays until the last connection is closed.
    client.shutdown { [executor] _ in withExtendedLifetime(executor) {} }
  }

  /// Whoever has a whole head in time has an answer, whatever becomes of the rest.
  func post(
    _ request: HTTPClient.Request, before deadline: NIODeadline
  ) async throws(HTTPFailure) -> HTTPReply {
    do {
      return try await attempt(request, before: deadline)
    } catch {
      guard HTTPFailure.mayBeClosedKeepAlive(error.cause) else {
        throw HTTPFailure(error.cause, wasSent: error.wasSent)
      }
    }
    do {
      return try await attempt(request, before: deadline)
    } catch {
      throw HTTPFailure(error.cause, wasSent: error.wasSent)
    }
  }

  private struct Failure: Error {
    let cause: any Error
    let wasSent: Bool
  }

  private func attempt(
    _ request: HTTPClient.Request, before deadline: NIODeadline
  ) async throws(Failure) -> HTTPReply {
    let beginning = ReplyBeginning()
    let task = client.execute(request: request, delegate: beginning, deadline: deadline)
    do {
      return try await task.futureResult.get()
    } catch {
      guard let reply = beginning.reply else {
        throw Failure(cause: error, wasSent: beginning.wasSent)
      }
      return reply
    }
  }
}
