import CivilTime
import Glibc

/// A wall clock for a program that a test starts, with a settable time and speed. All other clocks
/// of the program are real, and so are its deadlines.
final class FastClock {
  /// A period of this clock's time with one speed.
  struct Stretch: Hashable {
    var end: Instant
    /// The factor by which this time passes faster than real time.
    var rate: Int64
  }

  /// A setting of the clock. At the real time `real`, in nanoseconds, it shows `shown`; from then
  /// on, it runs at `rate`.
  private struct Course {
    var real: Int64
    var shown: Instant
    var rate: Int64

    var numbers: [Int64] { [real, shown.milliseconds * FastClock.nanosecondsPerMillisecond, rate] }
  }

  /// C compilers for the library that replaces the program's clock.
  private static let compilers = ["/usr/bin/cc", "/usr/bin/clang", "/usr/bin/gcc"]
  private static var compiler: String? { compilers.first(where: Project.isExecutable) }
  private static let nanosecondsPerMillisecond: Int64 = 1_000_000
  /// `COURSES_MAX` of the library.
  private static let coursesMax = 16_384
  private static let bytesPerCourse = 24

  static var isAvailable: Bool { compiler != nil }

  private let library: String
  private let file: String
  /// The courses in order; each lasts until the next one begins.
  private var courses: [Course]

  /// Creates a clock with normal speed.
  ///
  /// - Parameter shown: the current time of this clock.
  init(in workspace: Workspace, at shown: Instant) throws {
    library = workspace.path + "/fast_clock.so"
    file = workspace.path + "/clock"
    courses = [Course(real: Self.realNow, shown: shown, rate: 1)]
    let size = Self.bytesPerCourse * Self.coursesMax
    let first = Self.bytes([1] + courses[0].numbers)
    try Files.write(first + Array(repeating: 0, count: 8 + size - first.count), to: file)
    let source = Project.root + "/Tests/SystemTests/Peers/fast_clock.c"
    let child = try ChildProcess(
      Self.compiler ?? "", ["-shared", "-fPIC", "-O2", "-o", library, source, "-ldl"])
    guard try child.finish() == .exited(0) else {
      throw Failure("fast_clock.c: \(String(decoding: child.errors.take(), as: UTF8.self))")
    }
  }

  var environment: [String: String] { ["LD_PRELOAD": library, "FAST_CLOCK": file] }

  private static var realNow: Int64 { Report.now.milliseconds * nanosecondsPerMillisecond }

  /// The current time of this clock.
  var now: Instant {
    let real = Self.realNow
    let course = courses.last { $0.real <= real } ?? courses[0]
    let passed = (real - course.real) * course.rate / Self.nanosecondsPerMillisecond
    return course.shown + TimeSpan(milliseconds: passed)
  }

  /// The real time at which the clock will show a time.
  func realTime(of shown: Instant) -> Instant {
    let course = courses.last { $0.shown <= shown } ?? courses[0]
    let shownSpan = (shown - course.shown).milliseconds * Self.nanosecondsPerMillisecond
    let real = course.real + shownSpan / course.rate
    return Instant(milliseconds: real / Self.nanosecondsPerMillisecond)
  }

  /// Sets the time, and lets it pass in stretches of different speed. After the last stretch, its
  /// speed stays.
  ///
  /// The program can read all speeds in advance, so its timers stay correct when the speed changes.
  func go(from shown: Instant, through stretches: [Stretch]) throws {
    var (real, start) = (Self.realNow, shown)
    var newCourses: [Course] = []
    for stretch in stretches {
      newCourses.append(Course(real: real, shown: start, rate: stretch.rate))
      let length = (stretch.end - start).milliseconds * Self.nanosecondsPerMillisecond
      real += length / stretch.rate
      start = stretch.end
    }
    guard courses.count + newCourses.count <= Self.coursesMax else {
      throw Failure("the clock has too many speeds: \(newCourses.count)")
    }
    let offset = 8 + Self.bytesPerCourse * courses.count
    courses += newCourses
    // The program reads as many courses as the count says, so the count is written last.
    try write(newCourses.flatMap(\.numbers), at: offset)
    try write([Int64(courses.count)], at: 0)
  }

  /// Sets the time and the speed.
  func go(from shown: Instant, rate: Int64) throws {
    try go(from: shown, through: [Stretch(end: shown, rate: rate)])
  }

  private func write(_ numbers: [Int64], at offset: Int) throws {
    let descriptor = try Failure.check(file, open(file, O_WRONLY | O_CLOEXEC))
    defer { close(descriptor) }
    let bytes = Self.bytes(numbers)
    let count = bytes.withUnsafeBytes {
      pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset))
    }
    guard count == bytes.count else { throw Failure("the clock cannot be set") }
  }

  private static func bytes(_ numbers: [Int64]) -> [UInt8] {
    numbers.flatMap { number in withUnsafeBytes(of: number) { Array($0) } }
  }
}
