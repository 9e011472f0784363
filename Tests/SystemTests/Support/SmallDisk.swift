import Glibc

/// A disk of a few megabytes that only one process sees in place of its state directory. It is
/// removed with the process.
struct SmallDisk {
  /// The disk's path for other processes.
  private let path: String
  private var filler: String { path + "/filler" }

  /// The reason why no disk can be mounted here; nil if one can.
  static let obstacle: String? = {
    if let reason = Mounting.obstacle {
      print("SKIPPED: a store whose disk is full is not tested: \(reason)")
    }
    return Mounting.obstacle
  }()

  /// A program that mounts a disk at a directory and then executes another program.
  static func wrapper(at directory: String) -> [String] {
    let mount = "mount -t tmpfs -o size=4m,mode=700 small \"$0\" && exec \"$@\""
    return [
      "/usr/bin/unshare", "--mount", "--propagation", "private", "/bin/sh", "-c", mount, directory,
    ]
  }

  /// A program like `wrapper`, whose disk has the directory's content and no free space.
  static func fullWrapper(at directory: String) -> [String] {
    let script = """
      copy=$(mktemp -d) && cp -a "$0/." "$copy" &&
      mount -t tmpfs -o size=4m,mode=700 small "$0" && cp -a "$copy/." "$0" && rm -r "$copy" &&
      ! head -c 5M /dev/zero >"$0/filler" 2>/dev/null && exec "$@"
      """
    return [
      "/usr/bin/unshare", "--mount", "--propagation", "private", "/bin/sh", "-c", script, directory,
    ]
  }

  init(of process: ChildProcess, at directory: String) {
    path = "/proc/\(process.identifier)/root" + directory
  }

  /// Fills the disk.
  func fill() throws {
    let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC
    let descriptor = try Failure.check(filler, open(filler, flags, 0o600))
    defer { close(descriptor) }
    let block = [UInt8](repeating: 0, count: 4_096)
    while write(descriptor, block, block.count) > 0 {}
    guard errno == ENOSPC else { throw Failure("\(filler): \(String(cString: strerror(errno)))") }
  }

  func free() throws {
    _ = try Failure.check(filler, unlink(filler))
  }
}
