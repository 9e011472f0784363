internal import Foundation

/// The notifications of a recipient as they are sent, without repetitions, and their withdrawals.
/// The event `missed` reports a gap.
///
/// The stream connects when it is first read, and again whenever the connection breaks. It ends
/// when the recipient is erased or the reader's task is cancelled. It fails if the service refuses
/// the stream or sends an unreadable event.
public struct ChimedStream: AsyncSequence, Sendable {
  public typealias Element = ChimedStreamEvent
  public typealias Failure = ChimedError

  let client: ChimedClient
  /// The path of the stream, with its query.
  let path: String
  /// The position of the event after which the stream continues; nil to begin now.
  let position: String?
  /// The waits before the stream connects again.
  let waits: ChimedWaits

  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(
      client: client, path: path, session: StreamSession(after: position, waits: waits))
  }

  public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
    fileprivate let client: ChimedClient
    fileprivate let path: String
    fileprivate var session: StreamSession
    /// The current connection's reply; nil without a connection.
    private var reply: HTTPReply?
    /// The received events that `next` has not yet returned.
    private var unreadEvents: [ChimedStreamEvent] = []
    private var isFinished = false

    fileprivate init(client: ChimedClient, path: String, session: StreamSession) {
      self.client = client
      self.path = path
      self.session = session
    }

    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(ChimedError) -> ChimedStreamEvent? {
      while unreadEvents.isEmpty, !isFinished {
        do throws(ChimedError) {
          try await receive()
        } catch {
          isFinished = true
          if error == .cancelled { return nil }
          throw error
        }
      }
      return unreadEvents.isEmpty ? nil : unreadEvents.removeFirst()
    }

    /// Receives the next part of the stream, or connects again.
    private mutating func receive() async throws(ChimedError) {
      let bytes: Data?
      do throws(ChimedError) {
        if reply == nil { try await connect() }
        bytes = try await reply?.next()
      } catch {
        return try await disconnect(error)
      }
      guard let bytes else { return try await disconnect(nil) }
      unreadEvents += try session.receive(bytes)
    }

    private mutating func connect() async throws(ChimedError) {
      session.connect()
      var headers = ["Accept": "text/event-stream"]
      if let position = session.position { headers["Last-Event-ID"] = position }
      reply = try await client.open("GET", path, headers: headers)
    }

    /// Ends the connection, and waits as long as the session requires before the next one.
    private mutating func disconnect(_ error: ChimedError?) async throws(ChimedError) {
      reply = nil
      let (events, step) = try session.disconnect(error, spread: .random(in: 0..<1))
      unreadEvents += events
      switch step {
      case .finish: isFinished = true
      case .connect(after: .zero): break
      case .connect(let wait): try await client.pause(for: wait)
      }
    }
  }
}

extension ChimedClient {
  /// Streams a recipient's notifications as they are sent.
  ///
  /// - Parameters:
  ///   - position: the position of the event after which the stream continues; nil to begin now.
  ///   - channels: some of `inapp`, `push`, `email` and `sms`.
  ///   - includesState: whether the stream reports the recipient's state too.
  ///   - waits: the waits before the stream connects again. A wait is longer if the service
  ///     requests that.
  public func stream(
    of recipient: String, after position: String? = nil, channels: [String] = ["inapp", "push"],
    includesState: Bool = false, waits: ChimedWaits = ChimedWaits()
  ) -> ChimedStream {
    let query =
      "?channels=\(Self.segment(channels.joined(separator: ",")))"
      + (includesState ? "&state=true" : "")
    return ChimedStream(
      client: self, path: Self.path(of: recipient, "stream") + query, position: position,
      waits: waits)
  }
}
