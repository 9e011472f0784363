import Foundation

/// Returns the time of the monotonic clock in nanoseconds.
func ticks() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

/// Returns the seconds that a piece of work takes.
func seconds(_ work: () throws -> Void) rethrows -> Double {
  let start = ticks()
  try work()
  return (ticks() - start) / 1e9
}

/// Returns the processor time of this thread in seconds.
func processorSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Returns the processor time of this process in seconds.
func processSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Returns the processor time of a piece of work on this thread, in seconds. Unlike the elapsed
/// time, it hardly depends on the load of the machine.
func processorSeconds(_ work: () throws -> Void) rethrows -> Double {
  let start = processorSeconds()
  try work()
  return processorSeconds() - start
}

/// Returns the resident memory of this process in bytes.
func residentBytes() -> Int {
  let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
  let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
  return pages * 4096
}

/// Prints a measured value with its name and its unit.
func show(_ name: String, _ value: Double, _ unit: String) {
  let digits = value < 10 ? 3 : value < 1000 ? 1 : 0
  print("  \(name): \(String(format: "%.\(digits)f", value)) \(unit)")
}

/// Runs work with a temporary directory, which is removed at the end.
func withScratchDirectory<Value>(_ work: (String) async throws -> Value) async throws -> Value {
  let path = NSTemporaryDirectory() + "chimed-benchmark-\(UUID().uuidString)"
  try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: path) }
  return try await work(path)
}

/// A random number generator with a fixed sequence (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
    bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
    return bits ^ (bits >> 31)
  }
}
