import CivilTime
import Glibc

/// A wall clock for a program that a test starts, with a settable time and speed. All other clocks
/// of the program are real, and so are its deadlines.
final class FastClock {
  /// C compilers for the library that replaces the program's clock.
  private static let compilers = ["/usr/bin/cc", "/usr/bin/clang", "/usr/bin/gcc"]
  private static var compiler: String? { compilers.first(where: Project.exists) }

  static var isThere: Bool { compiler != nil }

  private let library: String
  private let file: String
  /// The real instant, the shown time at that instant, and the speed since then.
  private var course: (real: Instant, shown: Instant, rate: Int64)

  /// Creates a clock with normal speed.
  ///
  /// - Parameter shown: the current time of this clock.
  init(in workspace: Workspace, at shown: Instant) throws {
    library = workspace.path + "/fast_clock.so"
    file = workspace.path + "/clock"
    course = (Report.now, shown, 1)
    try Files.write(Self.bytes([0] + numbers + numbers), to: file)
    let source = Project.root + "/Tests/SystemTests/Peers/fast_clock.c"
    let child = try ChildProcess(
      Self.compiler ?? "", ["-shared", "-fPIC", "-O2", "-o", library, source, "-ldl"])
    guard try child.finish() == .exited(0) else {
      throw Failure("fast_clock.c: \(String(decoding: child.errors.take(), as: UTF8.self))")
    }
  }

  var environment: [String: String] { ["LD_PRELOAD": library, "FAST_CLOCK": file] }

  /// The current time of this clock.
  var now: Instant {
    course.shown + TimeSpan(milliseconds: (Report.now - course.real).milliseconds * course.rate)
  }

  /// The real time at which the clock will show a time.
  func realTime(of shown: Instant) -> Instant {
    course.real + TimeSpan(milliseconds: (shown - course.shown).milliseconds / course.rate)
  }

  /// Sets the time and the speed.
  func go(from shown: Instant, rate: Int64) throws {
    course = (Report.now, shown, rate)
    let descriptor = try Failure.check(file, open(file, O_WRONLY | O_CLOEXEC))
    defer { close(descriptor) }
    // Writes the inactive course first, and then activates it.
    for (offset, bytes) in [(32, Self.bytes(numbers)), (0, Self.bytes([1]))] {
      let count = bytes.withUnsafeBytes {
        pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset))
      }
      guard count == bytes.count else { throw Failure("the clock cannot be set") }
    }
  }

  private var numbers: [Int64] {
    [course.real.milliseconds * 1_000_000, course.shown.milliseconds * 1_000_000, course.rate]
  }

  private static func bytes(_ numbers: [Int64]) -> [UInt8] {
    numbers.flatMap { number in withUnsafeBytes(of: number) { Array($0) } }
  }
}
