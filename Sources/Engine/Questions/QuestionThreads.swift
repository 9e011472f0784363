import Dispatch
import Glibc
import Synchronization
import Systemd

/// Threads that answer questions (rule H6): a few, so that the engine's thread finds a processor,
/// and with a queue that has an end, so that what nobody can answer in time is refused at once.
final class QuestionThreads: Sendable {
  /// Something to be done on one of the threads, or to be refused.
  struct Job: Sendable {
    let run: @Sendable () -> Void
    let refuse: @Sendable (ServiceUnavailable) -> Void
  }

  /// How many wait at most: each is a client that waits as well.
  static let waitingMax = 1_024
  /// By how much the scheduler prefers the engine's thread.
  private static let niceness: Int32 = 5

  private struct State {
    var waiting: [Job] = []
    var head = 0
    var isClosed = false

    mutating func next() -> Job? {
      guard head < waiting.count else { return nil }
      defer {
        head += 1
        if head == waiting.count { (waiting, head) = ([], 0) }
      }
      return waiting[head]
    }
  }

  private let state = Mutex(State())
  private let arrivals = DispatchSemaphore(value: 0)
  private let count: Int

  /// Starts the threads, which sleep while there is nothing to do.
  init(_ name: String, count: Int) throws(SystemCallError) {
    self.count = count
    for _ in 0..<count {
      try OperatingSystemThread(name: name) { [self] in work() }.detach()
    }
  }

  func add(_ job: Job) {
    let refusal: ServiceUnavailable? = state.withLock { state in
      guard !state.isClosed else { return Self.stopping }
      guard state.waiting.count - state.head < Self.waitingMax else { return Self.overloaded }
      state.waiting.append(job)
      return nil
    }
    if let refusal { return job.refuse(refusal) }
    arrivals.signal()
  }

  /// Ends the threads when they are done with what they are at, and refuses what waits.
  func close() {
    let waiting = state.withLock { state in
      defer { (state.waiting, state.head, state.isClosed) = ([], 0, true) }
      return state.waiting[state.head...]
    }
    for job in waiting { job.refuse(Self.stopping) }
    for _ in 0..<count { arrivals.signal() }
  }

  private func work() {
    // On Linux this is the thread's own.
    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Self.niceness)
    while true {
      arrivals.wait()
      let (job, isClosed) = state.withLock { ($0.next(), $0.isClosed) }
      if isClosed { return }
      job?.run()
    }
  }

  private static let stopping = ServiceUnavailable(
    .stopping, "the service is stopping; try again soon")
  private static let overloaded = ServiceUnavailable(
    .overloaded, "more is asked than can be answered; try again soon")
}
