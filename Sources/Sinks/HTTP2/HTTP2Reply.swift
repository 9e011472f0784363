internal import NIOCore

/// Where the outcome of one request is waited for; what comes first counts.
struct HTTP2Reply: Sendable {
  private let promise: EventLoopPromise<Result<ExchangeResponse, ExchangeFailure>>

  init(on loop: any EventLoop) {
    promise = loop.makePromise()
  }

  func succeed(_ response: ExchangeResponse) { promise.succeed(.success(response)) }

  func fail(_ failure: ExchangeFailure) { promise.succeed(.failure(failure)) }

  func result() async throws(ExchangeFailure) -> ExchangeResponse {
    let result = try? await promise.futureResult.get()
    return try (result ?? .failure(.lost("the client was closed"))).get()
  }
}
