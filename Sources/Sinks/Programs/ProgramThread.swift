import CSystemd
import Systemd

/// The work of a thread that runs programs; all calls come on that thread.
protocol ProgramLoop: AnyObject, SendableMetatype {
  /// The instant at which `performDueWork` must be called even without an event; nil if there is
  /// none.
  var wakeTime: MonotonicInstant? { get }

  /// After `stop`, whether all programs have ended.
  var isDone: Bool { get }

  func accept(_ job: ProgramJob)

  /// Handles the descriptor with this tag, which is ready.
  func attend(to tag: UInt64)

  /// Performs the work that is due.
  func performDueWork(at now: MonotonicInstant)

  /// Begins to end all programs; kills them immediately if `isUrgent`. This may be called twice.
  func stop(isUrgent: Bool, at now: MonotonicInstant)
}

/// A thread that starts programs and waits for them. It outlives its programs, because the system
/// kills a program when the thread that started it ends.
final class ProgramThread: Sendable {
  private let mailbox: ProgramMailbox
  private let thread: OperatingSystemThread

  /// - Parameter make: creates the loop, on the thread. The loop must not use tag 0.
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

  /// Adds a job; returns false if the thread has been stopped, so that no answer will come.
  func post(_ job: ProgramJob) -> Bool { mailbox.post(job) }

  /// Lets the programs end within their grace period, and returns when they have ended.
  func stop() async {
    mailbox.stop(isUrgent: false)
    await mailbox.waitForEnd()
  }

  private static func run(_ loop: any ProgramLoop, _ mailbox: ProgramMailbox, _ waits: WaitSet) {
    while true {
      let mail = mailbox.removeMail()
      for job in mail.jobs { loop.accept(job) }
      if let isUrgent = mail.stop { loop.stop(isUrgent: isUrgent, at: .now) }
      loop.performDueWork(at: .now)
      if mail.stop != nil, loop.isDone { break }
      for tag in waits.wait(until: loop.wakeTime) {
        if tag == 0 { mailbox.clear() } else { loop.attend(to: tag) }
      }
    }
    mailbox.markEnded()
  }
}
