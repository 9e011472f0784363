/// A timer as a slot holds it, in 16 bytes; stale once the timer was cancelled.
struct Entry {
  let deadline: Int64
  let handle: TimerHandle
}
