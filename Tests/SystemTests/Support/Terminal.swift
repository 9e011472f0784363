import Glibc

/// A terminal that nobody looks at. What is written to it comes out of `master`, which is at its
/// end when nobody has the other side open any more.
final class Terminal {
  let master: Int32
  private let name: String

  /// `TIOCSPTLCK` and `TIOCGPTN`, macros that Swift does not see.
  private static let (unlocking, numbering): (UInt, UInt) = (0x4004_5431, 0x8004_5430)

  init(columns: UInt16, lines: UInt16) throws {
    master = try Failure.check("/dev/ptmx", Glibc.open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC))
    var (lock, number): (Int32, UInt32) = (0, 0)
    _ = try Failure.check("unlock", ioctl(master, Self.unlocking, &lock))
    _ = try Failure.check("number", ioctl(master, Self.numbering, &number))
    name = "/dev/pts/\(number)"
    var size = winsize(ws_row: lines, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = try Failure.check("resize", ioctl(master, UInt(TIOCSWINSZ), &size))
  }

  deinit { close(master) }

  /// The side that programs have, to be closed by who asks for it.
  func open() throws -> Int32 {
    try Failure.check("open \(name)", Glibc.open(name, O_RDWR | O_NOCTTY | O_CLOEXEC))
  }

  /// How it treats what is typed and written.
  var modes: [UInt32] {
    var modes = termios()
    tcgetattr(master, &modes)
    return [modes.c_iflag, modes.c_oflag, modes.c_cflag, modes.c_lflag]
  }
}
