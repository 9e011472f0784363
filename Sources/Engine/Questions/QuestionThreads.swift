import Dispatch
import Glibc
import Synchronization
import Systemd

/// Threads that answer queries (rule H6). They are few, so that the engine's thread gets a
/// processor. Their queue is bounded, so that queries that could not be answered in time are
/// refused at once.
final class QuestionThreads: Sendable {
  /// A job for one of the threads. Either `run` or `refuse` is called, once.
  struct Job: Sendable {
    let run: @Sendable () -> Void
    let refuse: @Sendable (ServiceUnavailable) -> Void
  }

  /// The purpose of a set of threads.
  struct Duty: Sendable {
    let name: String
    /// How many jobs may wait; each has a waiting client.
    let waitingMax: Int
    /// The niceness of the threads: the scheduler prefers the engine's thread.
    let niceness: Int32
    /// The answer to a job that does not fit into the queue.
    let overload: ServiceUnavailable

    static let questions = Duty(
      name: "questions", waitingMax: 1_024, niceness: 5, overload: overloaded)
    static let status = Duty(name: "status", waitingMax: 1_024, niceness: 5, overload: overloaded)
    /// Work that may take seconds, such as reading a catalog. Queries have priority over it.
    static let trials = Duty(
      name: "trials", waitingMax: 8, niceness: 10,
      overload: ServiceUnavailable(
        .busy,
        "too many requests with catalogs or asOf are in progress; this one was not started; try "
          + "again soon"))

    /// Calendars by links (rule H29). Each waits for at most some seconds.
    static let calendars = Duty(
      name: "calendars", waitingMax: 128, niceness: 10,
      overload: ServiceUnavailable(
        .busy, "too many calendars are in progress; this one was not started; try again soon"))

    private static let overloaded = ServiceUnavailable(
      .overloaded, "too many queries wait; try again soon")
  }

  private struct State {
    var waiting: [Job] = []
    /// The index of the next job; earlier jobs were taken.
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

  /// Starts the threads, which sleep while there are no jobs.
  init(_ duty: Duty, count: Int) throws(SystemCallError) {
    (self.duty, self.count) = (duty, count)
    for _ in 0..<count {
      try OperatingSystemThread(name: duty.name) { [self] in work() }.detach()
    }
  }

  /// Queues a job, or refuses it if the queue is full or closed.
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

  /// Ends the threads after their current jobs, and refuses the waiting jobs.
  func close() {
    let waiting = state.withLock { state in
      defer { (state.waiting, state.head, state.isClosed) = ([], 0, true) }
      return state.waiting[state.head...]
    }
    for job in waiting { job.refuse(Self.stopping) }
    for _ in 0..<count { arrivals.signal() }
  }

  private func work() {
    // On Linux, this call changes the niceness of the current thread alone.
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
