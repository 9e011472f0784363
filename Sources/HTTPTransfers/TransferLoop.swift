internal import CCurl
internal import Synchronization

/// A thread that runs requests by libcurl and keeps connections for reuse. The thread ends when
/// this object is released.
///
/// Tasks that send many requests may run on this thread. Then no other thread has to be woken for
/// each request. Such tasks must not block.
package final class TransferLoop: TaskExecutor {
  private let inbox = LoopInbox()
  private let thread: LoopThread

  /// - Throws: an error if there is not enough memory or no thread can be created.
  package init(_ settings: TransferSettings) throws(TransferError) {
    let context = Unmanaged.passRetained(inbox)
    let opened = settings.withC {
      ccurl_loop_open(&$0, context.toOpaque(), LoopInbox.runWork, LoopInbox.release)
    }
    guard let opened else {
      context.release()
      throw TransferError("libcurl cannot be used: memory or threads are short")
    }
    thread = LoopThread(pointer: opened)
  }

  deinit {
    inbox.end(thread)
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    inbox.post(.job(UnownedJob(job), asUnownedTaskExecutor()), to: thread)
  }

  /// Runs a closure on the thread, asynchronously.
  func run(_ body: @escaping @Sendable () -> Void) {
    inbox.post(.call(body), to: thread)
  }

  /// Starts a request, immediately if called on this thread.
  ///
  /// - Parameter listener: receives the reply on the thread, until its `end`.
  func start(_ request: TransferRequest, listener: any TransferListener) -> Transfer {
    let transfer = Transfer(listener)
    if ccurl_loop_is_current(thread.pointer) {
      transfer.start(request, on: thread)
    } else {
      run { [thread] in transfer.start(request, on: thread) }
    }
    return transfer
  }
}

/// The thread's C loop; valid as long as the `TransferLoop`.
struct LoopThread: @unchecked Sendable {
  let pointer: OpaquePointer
}

/// Work queued for the thread.
private final class LoopInbox: Sendable {
  enum Work {
    case job(UnownedJob, UnownedTaskExecutor)
    case call(@Sendable () -> Void)
  }

  private struct State {
    /// The work that the thread has not yet begun, in order.
    var work: [Work] = []
    /// Whether the thread will check the inbox before it waits.
    var isAwake = false
    /// Whether the thread ends as soon as no work is queued.
    var isEnding = false
  }

  private let state = Mutex(State())

  func post(_ work: Work, to thread: LoopThread) {
    let isAsleep = state.withLock { state in
      state.work.append(work)
      defer { state.isAwake = true }
      return !state.isAwake
    }
    if isAsleep, !ccurl_loop_is_current(thread.pointer) { ccurl_loop_wake(thread.pointer) }
  }

  /// Ends the thread at its next check of the inbox.
  func end(_ thread: LoopThread) {
    state.withLock { state in
      state.isEnding = true
      ccurl_loop_wake(thread.pointer)
    }
  }

  static let runWork: @convention(c) (UnsafeMutableRawPointer) -> CCurlTurn = {
    Unmanaged<LoopInbox>.fromOpaque($0).takeUnretainedValue().runWork()
  }

  static let release: @convention(c) (UnsafeMutableRawPointer) -> Void = {
    Unmanaged<LoopInbox>.fromOpaque($0).release()
  }

  /// Runs the queued work, and returns what the thread does next.
  private func runWork() -> CCurlTurn {
    var queued: [Work] = []
    let isEnding = state.withLock { state in
      swap(&queued, &state.work)
      state.isAwake = !queued.isEmpty
      return state.isEnding
    }
    for work in queued {
      switch work {
      case .job(let job, let executor): job.runSynchronously(on: executor)
      case .call(let body): body()
      }
    }
    return queued.isEmpty ? (isEnding ? .end : .wait) : .again
  }
}
