import CivilTime
import Fleet
import TestSupport

/// A process's side of a connection: what is asked travels to the server and back, unless the
/// network is split, or either side ends.
final class ModelConnection {
  let session: ModelSession
  private let process: ModelProcess
  private let server: ModelServer
  /// After how long without an answer it is ended; nil where that takes as long as it takes.
  private let patience: TimeSpan?
  private var waiting: ((ModelReply) -> Void)?
  private var requests = 0
  private(set) var isOpen = true

  init(
    _ process: ModelProcess, _ server: ModelServer, _ session: ModelSession,
    patience: TimeSpan? = nil
  ) {
    (self.process, self.server, self.session) = (process, server, session)
    self.patience = patience
  }

  /// - Parameter then: is called once, in the process's own time; never after ``close()``.
  func ask(_ steps: [ModelStep], _ then: @escaping (ModelReply) -> Void) {
    requests += 1
    waiting = then
    let request = requests
    process.network.send { wasHeld in
      // What a closed connection had not got rid of may come after all, or never.
      if wasHeld, !self.isOpen, self.process.world.random.isOne(of: 2) { return }
      self.server.receive(steps, from: self.session) { reply in
        self.process.network.send { _ in
          self.process.enter { self.got(reply, to: request) }
        }
      }
    }
    watch(request)
    giveUp(request)
  }

  /// What the other side receives and does not answer in time ends the connection too. An answer
  /// that has come while the process stood still is in time.
  private func giveUp(_ request: Int) {
    guard let patience else { return }
    process.world.after(patience) {
      self.process.enter {
        self.process.after(.zero) { self.got(.silent, to: request) }
      }
    }
  }

  private func got(_ reply: ModelReply, to request: Int) {
    guard isOpen, request == requests, let then = waiting else { return }
    waiting = nil
    then(reply)
  }

  /// What the other side does not even receive ends the connection.
  private func watch(_ request: Int) {
    process.world.after(process.world.times.receiptMax) {
      guard self.isOpen, request == self.requests, self.waiting != nil else { return }
      guard self.process.network.isSplit else { return self.watch(request) }
      self.process.enter { self.got(.lost, to: request) }
    }
  }

  /// The server learns of it when it can.
  func close() {
    guard isOpen else { return }
    isOpen = false
    waiting = nil
    let session = session
    process.network.sendEnd { self.server.clientHasGone(from: session) }
  }
}

/// The way between a process and the server.
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

  /// - Parameter body: is told whether it was held up by a split.
  func send(_ body: @escaping (Bool) -> Void) {
    guard isSplit else { return world.after(delay) { body(false) } }
    world.after(splitUntil - world.now + delay) { body(true) }
  }

  /// A connection's end: across a split the server finds out by itself, some time.
  func sendEnd(_ body: @escaping () -> Void) {
    let usual = world.milliseconds(5..<250)
    world.after(isSplit ? min(splitUntil - world.now, .seconds(8)) + usual : usual, body)
  }
}
