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

  /// What a set of threads is for.
  struct Duty: Sendable {
    let name: String
    /// How many jobs wait at most: each is a client that waits as well.
    let waitingMax: Int
    /// By how much the scheduler prefers the engine's thread.
    let niceness: Int32
    let overload: ServiceUnavailable

    static let questions = Duty(
      name: "questions", waitingMax: 1_024, niceness: 5, overload: overloaded)
    static let status = Duty(name: "status", waitingMax: 1_024, niceness: 5, overload: overloaded)
    /// Work that may take seconds, such as the reading of a catalog. Questions are preferred to it.
    static let trials = Duty(
      name: "trials", waitingMax: 4, niceness: 10,
      overload: ServiceUnavailable(
        .busy,
        "other catalogs are being checked, tried or simulated; nothing was done; try again soon"))

    private static let overloaded = ServiceUnavailable(
      .overloaded, "more is asked than can be answered; try again soon")
  }

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
  private let duty: Duty
  private let count: Int

  /// Starts the threads, which sleep while there is nothing to do.
  init(_ duty: Duty, count: Int) throws(SystemCallError) {
    (self.duty, self.count) = (duty, count)
    for _ in 0..<count {
      try OperatingSystemThread(name: duty.name) { [self] in work() }.detach()
    }
  }

  func add(_ job: Job) {
    let refusal: ServiceUnavailable? = state.withLock { state in
      guard !state.isClosed else { return Self.stopping }
      guard state.waiting.count - state.head < duty.waitingMax else { return duty.overload }
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
    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, duty.niceness)
    while true {
      arrivals.wait()
      let (job, isClosed) = state.withLock { ($0.next(), $0.isClosed) }
      if isClosed { return }
      job?.run()
    }
  }

  private static let stopping = ServiceUnavailable(
    .stopping, "the service is stopping; try again soon")
}
