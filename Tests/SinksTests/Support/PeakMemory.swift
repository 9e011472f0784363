import Glibc

/// How much memory this process has had in use at once.
enum PeakMemory {
  static var kilobytes: Int {
    var usage = rusage()
    getrusage(RUSAGE_SELF.rawValue, &usage)
    return usage.ru_maxrss
  }
}
