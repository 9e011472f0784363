import Glibc

/// A pseudoterminal. Its output appears at `master`, which ends once the other side is closed
/// everywhere.
final class Terminal {
  let master: Int32
  private let name: String

  /// `TIOCSPTLCK` and `TIOCGPTN`, macros that Swift does not import.
  private static let (lockRequest, numberRequest): (UInt, UInt) = (0x4004_5431, 0x8004_5430)

  init(columns: UInt16, lines: UInt16) throws {
    master = try Failure.check("/dev/ptmx", Glibc.open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC))
    var (lock, number): (Int32, UInt32) = (0, 0)
    _ = try Failure.check("unlock", ioctl(master, Self.lockRequest, &lock))
    _ = try Failure.check("number", ioctl(master, Self.numberRequest, &number))
    name = "/dev/pts/\(number)"
    var size = winsize(ws_row: lines, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = try Failure.check("resize", ioctl(master, UInt(TIOCSWINSZ), &size))
  }

  deinit { close(master) }

  /// Opens the programs' side, which the caller has to close.
  func open() throws -> Int32 {
    try Failure.check("open \(name)", Glibc.open(name, O_RDWR | O_NOCTTY | O_CLOEXEC))
  }

  /// The terminal's modes.
  var modes: [UInt32] {
    var modes = termios()
    tcgetattr(master, &modes)
    return [modes.c_iflag, modes.c_oflag, modes.c_cflag, modes.c_lflag]
  }
}
