import CivilTime
import Fleet
import TestSupport

/// A process's end of a connection. Requests travel to the server and back, unless the network is
/// split or either side ends.
final class ModelConnection {
  let session: ModelSession
  private let process: ModelProcess
  private let server: ModelServer
  /// The time without an answer after which the connection ends; nil for no limit.
  private let timeout: TimeSpan?
  /// Handles the reply to the last request; nil if the reply has arrived.
  private var handler: ((ModelReply) -> Void)?
  /// The number of requests so far, which is also the number of the last request.
  private var requestCount = 0
  private(set) var isOpen = true

  init(
    _ process: ModelProcess, _ server: ModelServer, _ session: ModelSession,
    timeout: TimeSpan? = nil
  ) {
    (self.process, self.server, self.session) = (process, server, session)
    self.timeout = timeout
  }

  /// Sends a request.
  ///
  /// - Parameter handler: handles the reply. It is called at most once, while the process is not
  ///   paused, and never after ``close()``.
  func ask(_ steps: [ModelStep], _ handler: @escaping (ModelReply) -> Void) {
    requestCount += 1
    self.handler = handler
    let request = requestCount
    process.network.send { wasHeld in
      // If a split delayed the request until its connection was closed, it may still arrive.
      if wasHeld, !self.isOpen, self.process.world.random.isOne(of: 2) { return }
      self.server.receive(steps, from: self.session) { reply in
        self.process.network.send { _ in
          self.process.enter { self.handle(reply, to: request) }
        }
      }
    }
    scheduleReceiptCheck(request)
    scheduleTimeout(request)
  }

  /// Ends the connection if the request has no answer in time. An answer that arrived while the
  /// process was paused is in time.
  private func scheduleTimeout(_ request: Int) {
    guard let timeout else { return }
    process.world.after(timeout) {
      self.process.enter {
        self.process.after(.zero) { self.handle(.silent, to: request) }
      }
    }
  }

  private func handle(_ reply: ModelReply, to request: Int) {
    guard isOpen, request == requestCount, let handler else { return }
    self.handler = nil
    handler(reply)
  }

  /// Reports the connection as lost if a split keeps the request from the server for too long.
  private func scheduleReceiptCheck(_ request: Int) {
    process.world.after(process.world.times.receiptMax) {
      guard self.isOpen, request == self.requestCount, self.handler != nil else { return }
      guard self.process.network.isSplit else { return self.scheduleReceiptCheck(request) }
      self.process.enter { self.handle(.lost, to: request) }
    }
  }

  /// Closes the connection. The server notices it after a delay.
  func close() {
    guard isOpen else { return }
    isOpen = false
    handler = nil
    let session = session
    process.network.sendEnd { self.server.clientHasGone(from: session) }
  }
}

/// The network between a process and the server.
final class ModelNetwork {
  private let world: FleetWorld
  private var splitUntil = TimeSpan.zero
  private var slowUntil = TimeSpan.zero

  init(_ world: FleetWorld) {
    self.world = world
  }

  var isSplit: Bool { world.now < splitUntil }

  var isSlow: Bool { world.now < slowUntil }

  func split(for span: TimeSpan) { splitUntil = world.now + span }

  func slowDown(for span: TimeSpan) { slowUntil = world.now + span }

  private var delay: TimeSpan {
    isSlow ? world.milliseconds(50..<700) : world.milliseconds(0..<3)
  }

  /// Sends a message in either direction.
  ///
  /// - Parameter body: called on arrival, with true if a split delayed the message.
  func send(_ body: @escaping (Bool) -> Void) {
    guard isSplit else { return world.after(delay) { body(false) } }
    world.after(splitUntil - world.now + delay) { body(true) }
  }

  /// Sends the end of a connection, which the server notices after a delay. During a split, the
  /// delay begins at the end of the split, but at most 8 s from now.
  func sendEnd(_ body: @escaping () -> Void) {
    let delay = world.milliseconds(5..<250)
    world.after(isSplit ? min(splitUntil - world.now, .seconds(8)) + delay : delay, body)
  }
}
