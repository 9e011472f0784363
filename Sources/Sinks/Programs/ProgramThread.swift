import CSystemd
import Glibc
import Synchronization
import Systemd

/// What a thread that has programs does; all of it on that thread.
protocol ProgramLoop: AnyObject, SendableMetatype {
  /// When it has to be turned though nothing happens.
  var wake: MonotonicInstant? { get }

  /// Whether all programs have ended, after `stop`.
  var isDone: Bool { get }

  func take(_ order: ProgramOrder)

  /// A descriptor that it waits for has something to say.
  func attend(to tag: UInt64)

  /// Does what is due.
  func turn(at now: MonotonicInstant)

  /// Begins to end what it has started; `isUrgent`: without patience. May come twice.
  func stop(isUrgent: Bool, at now: MonotonicInstant)
}

/// A thread that starts programs and waits for them: a program ends with the thread that has
/// started it, so that must be one that lasts.
final class ProgramThread: Sendable {
  private let mailbox: ProgramMailbox
  private let thread: OperatingSystemThread

  /// - Parameter make: makes the loop, on the thread. The tag 0 is not the loop's.
  init(
    name: String, _ make: @escaping @Sendable (WaitSet) -> any ProgramLoop
  ) throws(SystemCallError) {
    let mailbox = try ProgramMailbox()
    let waits = try WaitSet()
    try waits.add(mailbox.flag, tag: 0)
    self.mailbox = mailbox
    thread = try OperatingSystemThread(name: name) {
      _ = chime_signals_block()
      Self.run(make(waits), mailbox, waits)
    }
  }

  deinit {
    mailbox.stop(isUrgent: true)
    thread.join()
  }

  /// False if it has been stopped: nobody will answer.
  func post(_ order: ProgramOrder) -> Bool { mailbox.post(order) }

  /// Gives the programs the time to end, and returns when they have.
  func stop() async {
    mailbox.stop(isUrgent: false)
    await mailbox.end()
  }

  private static func run(_ loop: any ProgramLoop, _ mailbox: ProgramMailbox, _ waits: WaitSet) {
    while true {
      let mail = mailbox.take()
      for order in mail.orders { loop.take(order) }
      if let isUrgent = mail.stop { loop.stop(isUrgent: isUrgent, at: .now) }
      loop.turn(at: .now)
      if mail.stop != nil, loop.isDone { break }
      for tag in waits.wait(until: loop.wake) {
        if tag == 0 { mailbox.clear() } else { loop.attend(to: tag) }
      }
    }
    mailbox.ended()
  }
}

/// What others have for the thread.
final class ProgramMailbox: Sendable {
  private struct Contents {
    var orders: [ProgramOrder] = []
    /// Whether it is urgent, once it is to stop.
    var stop: Bool?
    var hasEnded = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  /// Raised when there is something.
  let flag: Int32
  private let contents = Mutex(Contents())

  init() throws(SystemCallError) {
    flag = try SystemCallError.check("open an eventfd", chime_flag_open())
  }

  deinit { close(flag) }

  /// False if it is too late.
  func post(_ order: ProgramOrder) -> Bool {
    let isTaken = contents.withLock { contents in
      if contents.stop == nil { contents.orders.append(order) }
      return contents.stop == nil
    }
    if isTaken { _ = chime_flag_raise(flag) }
    return isTaken
  }

  func stop(isUrgent: Bool) {
    contents.withLock { $0.stop = isUrgent || $0.stop == true }
    _ = chime_flag_raise(flag)
  }

  func clear() { _ = chime_flag_clear(flag) }

  func take() -> (orders: [ProgramOrder], stop: Bool?) {
    contents.withLock { contents in
      defer { contents.orders = [] }
      return (contents.orders, contents.stop)
    }
  }

  /// Returns when the thread has ended.
  func end() async {
    await withCheckedContinuation { continuation in
      let hasEnded = contents.withLock { contents in
        if !contents.hasEnded { contents.waiting.append(continuation) }
        return contents.hasEnded
      }
      if hasEnded { continuation.resume() }
    }
  }

  func ended() {
    let waiting = contents.withLock { contents in
      contents.hasEnded = true
      defer { contents.waiting = [] }
      return contents.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}
