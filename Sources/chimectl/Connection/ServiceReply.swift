import HTTPTransfers

/// The body of a reply, as a sequence of the parts in which it arrives.
struct ServiceReply: AsyncSequence, Sendable {
  typealias Element = [UInt8]
  typealias Failure = ConnectionError

  let body: StreamedReply
  /// The time limit that an error names if the reply is late.
  let timeout: Duration

  struct AsyncIterator: AsyncIteratorProtocol {
    let body: StreamedReply
    let timeout: Duration

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(ConnectionError) -> [UInt8]? {
      do throws(StreamError) {
        return try await body.next()
      } catch {
        throw ConnectionError(error, timeout: timeout)
      }
    }
  }

  func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(body: body, timeout: timeout)
  }
}
