import Glibc

/// Whether tests may mount file systems here.
enum Mounting {
  /// The reason why tests cannot mount file systems; nil if they can.
  static let obstacle: String? =
    if geteuid() != 0 {
      "only root may mount file systems"
    } else if !isCapable {
      "this root may not mount file systems (it has no CAP_SYS_ADMIN)"
    } else {
      nil
    }

  private static var isCapable: Bool {
    guard let status = try? Files.read("/proc/self/status") else { return false }
    let lines = String(decoding: status, as: UTF8.self).split(separator: "\n")
    let line = lines.first { $0.hasPrefix("CapEff:\t") }
    let mask = line.flatMap { UInt64($0.dropFirst(8), radix: 16) }
    return (mask ?? 0) & 1 << 21 != 0
  }
}
