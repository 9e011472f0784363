import Glibc

/// The resource usage of the process, with the standard names of Prometheus clients.
enum ProcessMetrics {
  static var text: String {
    var writer = MetricsWriter()
    if let memory {
      writer.single(
        "process_virtual_memory_bytes", .gauge, "Virtual memory in bytes.", memory.virtual)
      writer.single(
        "process_resident_memory_bytes", .gauge, "Resident memory in bytes.", memory.resident)
    }
    if let cpuSeconds {
      writer.single(
        "process_cpu_seconds_total", .counter, "Processor time in seconds, user and system.",
        cpuSeconds)
    }
    if let openFiles {
      writer.single("process_open_fds", .gauge, "Open file descriptors.", openFiles)
    }
    if let openFilesMax {
      writer.single(
        "process_max_fds", .gauge, "The most file descriptors that may be open.", openFilesMax)
    }
    return writer.text
  }

  /// The sizes in bytes, computed from /proc/self/statm, which counts pages (proc(5)).
  private static var memory: (virtual: Double, resident: Double)? {
    guard let file = fopen("/proc/self/statm", "re") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    guard fgets(&line, Int32(line.count), file) != nil else { return nil }
    let text = String(
      decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let pages = text.split(separator: " ").prefix(2).compactMap { Double($0) }
    guard pages.count == 2 else { return nil }
    let size = Double(sysconf(Int32(_SC_PAGESIZE)))
    return (pages[0] * size, pages[1] * size)
  }

  private static var cpuSeconds: Double? {
    var usage = rusage()
    guard getrusage(RUSAGE_SELF.rawValue, &usage) == 0 else { return nil }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }

  private static func seconds(_ time: timeval) -> Double {
    Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000
  }

  /// The number of open descriptors, except the one that is opened to count them.
  private static var openFiles: Double? {
    guard let directory = opendir("/proc/self/fd") else { return nil }
    defer { closedir(directory) }
    var count = 0
    while let entry = readdir(directory) {
      if entry.pointee.d_name.0 != CChar(bitPattern: UInt8(ascii: ".")) { count += 1 }
    }
    return Double(count - 1)
  }

  private static var openFilesMax: Double? {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
    return limit.rlim_cur == .max ? nil : Double(limit.rlim_cur)
  }
}
