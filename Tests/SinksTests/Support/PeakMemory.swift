import Glibc

/// The highest memory use of this process.
enum PeakMemory {
  static var kilobytes: Int {
    var usage = rusage()
    getrusage(RUSAGE_SELF.rawValue, &usage)
    return usage.ru_maxrss
  }
}
