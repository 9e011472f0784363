internal import Foundation
internal import Synchronization

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// Sends requests with one URLSession.
///
/// One session lasts as long as the client, because ending a session on Linux can race with its
/// sockets. Replies arrive through a delegate: `URLSession.data(for:)` cannot stream, and Linux has
/// no `URLSession.bytes(for:)`.
final class HTTPTransport: Sendable {
  /// The maximum number of connections; every open stream occupies one.
  private static let connectionCountMax = 16

  private let session: URLSession
  private let receiver = ReplyReceiver()

  init() {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.httpMaximumConnectionsPerHost = Self.connectionCountMax
    session = URLSession(configuration: configuration, delegate: receiver, delegateQueue: nil)
  }

  deinit {
    session.finishTasksAndInvalidate()
  }

  /// Sends a request and waits for the head of the reply.
  ///
  /// - Parameter timeout: the timeout to name in the error; the request has its own timeout.
  func open(_ request: URLRequest, timeout: Duration) async throws(ChimedError) -> HTTPReply {
    let (parts, continuation) = AsyncThrowingStream<ReplyPart, any Error>.makeStream()
    let task = session.dataTask(with: request)
    receiver.add(continuation, for: task.taskIdentifier)
    continuation.onTermination = { _ in task.cancel() }
    task.resume()
    return try await HTTPReply(parts, timeout: timeout)
  }
}

/// A part of a reply.
enum ReplyPart: Sendable {
  case head(ReplyHeaders)
  case body(Data)
}

/// Passes the session's events to the replies that wait for them.
private final class ReplyReceiver: NSObject, URLSessionDataDelegate, Sendable {
  typealias Continuation = AsyncThrowingStream<ReplyPart, any Error>.Continuation

  /// The open replies by the identifier of their task.
  private let continuations = Mutex<[Int: Continuation]>([:])

  func add(_ continuation: Continuation, for task: Int) {
    continuations.withLock { $0[task] = continuation }
  }

  private func continuation(for task: URLSessionTask) -> Continuation? {
    continuations.withLock { $0[task.taskIdentifier] }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    continuation(for: dataTask)?.yield(.head(ReplyHeaders(response)))
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    continuation(for: dataTask)?.yield(.body(data))
  }

  /// A redirect is not followed: it would send the token to another address.
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  /// Ends a reply that requires a password. By default, Linux would never complete the reply's
  /// task.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let passwords = [NSURLAuthenticationMethodHTTPBasic, NSURLAuthenticationMethodHTTPDigest]
    guard passwords.contains(challenge.protectionSpace.authenticationMethod) else {
      return completionHandler(.performDefaultHandling, nil)
    }
    let continuation = continuations.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    if let response = challenge.failureResponse {
      continuation?.yield(.head(ReplyHeaders(response)))
    }
    continuation?.finish()
    completionHandler(.cancelAuthenticationChallenge, nil)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    let continuation = continuations.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    // Linux reports the head of a redirect only here. `HTTPReply` ignores a second head.
    if let response = task.response { continuation?.yield(.head(ReplyHeaders(response))) }
    continuation?.finish(throwing: error)
  }
}
