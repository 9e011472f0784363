import Engine
import HTTPTypes
import Synchronization

/// Work that may take seconds, such as reading a submitted catalog or calendar. Separate threads
/// with short queues do this work. Each caller may have only a few jobs in them (rules H16, H29).
struct HeavyWork: Sendable {
  let service: any ReminderService
  private let limiter: JobLimiter

  init(service: any ReminderService, limiter: JobLimiter = JobLimiter()) {
    self.service = service
    self.limiter = limiter
  }

  /// Runs `body`, which calls the service's `work`. Returns the result of `body`.
  ///
  /// - Throws: a refusal if the caller's jobs that are running or waiting are at the limit.
  func run<Value>(
    for call: Call,
    _ body: (any ReminderService) async throws(ServiceUnavailable) -> Value
  ) async throws(Problem) -> Value {
    try await run(for: call.caller.map { $0.bearer ?? $0.name } ?? "", body)
  }

  /// Runs `body` for a caller that has a name of its own, such as a link.
  func run<Value>(
    for caller: String,
    _ body: (any ReminderService) async throws(ServiceUnavailable) -> Value
  ) async throws(Problem) -> Value {
    try limiter.enter(caller)
    defer { limiter.leave(caller) }
    do {
      return try await body(service)
    } catch {
      throw Problem(error)
    }
  }
}

/// Limits the jobs of each caller that are running or waiting.
final class JobLimiter: Sendable {
  private let jobsMax: Int
  /// Names the jobs that are in progress, after their number.
  private let subject: String
  private let jobs = Mutex<[String: Int]>([:])

  /// - Parameter jobsMax: the maximum number of a caller's jobs that are running or waiting.
  init(
    jobsMax: Int = 4, subject: String = "of your requests with a catalog, a calendar or asOf are"
  ) {
    (self.jobsMax, self.subject) = (jobsMax, subject)
  }

  /// Returns the limiter of links to calendars. Everyone with a link uses it as one caller.
  static func ofCalendarLinks() -> JobLimiter {
    JobLimiter(jobsMax: 1, subject: "request with this link to a calendar is")
  }

  /// Counts another job of a caller; throws a refusal at the caller's limit.
  func enter(_ caller: String) throws(Problem) {
    let isCounted = jobs.withLock { [jobsMax] jobs in
      guard jobs[caller, default: 0] < jobsMax else { return false }
      jobs[caller, default: 0] += 1
      return true
    }
    if isCounted { return }
    throw Problem(
      .tooManyRequests,
      "\(jobsMax) \(subject) in progress; this one was not started; wait for a response",
      headers: [.retryAfter: "5"])
  }

  func leave(_ caller: String) {
    jobs.withLock { jobs in
      let count = jobs[caller, default: 1] - 1
      jobs[caller] = count > 0 ? count : nil
    }
  }
}
