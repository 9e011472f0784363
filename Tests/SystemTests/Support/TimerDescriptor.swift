import Glibc

/// A timer of a process in the kernel, which libdispatch, NIO or the engine waits for.
struct TimerDescriptor: Hashable {
  /// `CLOCK_REALTIME` is 0, `CLOCK_MONOTONIC` is 1.
  var clock: Int
  /// The flags of the timer: 1 is absolute, 2 is cancelled when the clock is set.
  var flags: Int

  /// The armed timers of a process (proc(5), `fdinfo`).
  static func armed(in process: pid_t) throws -> [TimerDescriptor] {
    let directory = "/proc/\(process)/fdinfo"
    return Files.names(in: directory).compactMap { name in
      // A descriptor may be closed between the listing and the reading.
      let fields = (try? fields(of: directory + "/" + name)) ?? [:]
      guard let clock = fields["clockid"], let flags = fields["settime flags"],
        fields["it_value"] != "(0, 0)"
      else { return nil }
      return TimerDescriptor(clock: Int(clock) ?? -1, flags: Int(flags, radix: 8) ?? -1)
    }
  }

  private static func fields(of path: String) throws -> [String: String] {
    let text = String(decoding: try Files.read(path), as: UTF8.self)
    let pairs = text.split(separator: "\n").compactMap { line -> (String, String)? in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      return (String(line[..<colon]), String(value))
    }
    return Dictionary(pairs) { first, _ in first }
  }
}
