import Glibc

/// How far something has come that takes long: a line on the terminal of standard error, written
/// over again and again and gone at the end; nothing where that is no terminal.
package final class Progress {
  private static let pause = Duration.milliseconds(100)

  private let isShown: Bool
  private var next = ContinuousClock.now
  private var isVisible = false

  package init(isShown: Bool = Console.showsProgress) {
    self.isShown = isShown
  }

  deinit { clear() }

  /// Writes the line, but for what would come too soon to be read.
  package func show(_ text: @autoclosure () -> String) {
    guard isShown, ContinuousClock.now >= next else { return }
    next = .now + Self.pause
    say(text())
  }

  /// Writes the line in any case, as at the beginning of another part.
  package func say(_ text: String) {
    guard isShown else { return }
    isVisible = true
    Console.printError("\r\u{1b}[K" + text.printable)
  }

  /// Makes room for something else.
  package func clear() {
    guard isVisible else { return }
    isVisible = false
    Console.printError("\r\u{1b}[K")
  }

  /// "12.3 MB".
  static func size(_ bytes: Int) -> String {
    guard bytes >= 1_000_000 else { return "\(bytes / 1_000) kB" }
    return "\(bytes / 1_000_000).\(bytes / 100_000 % 10) MB"
  }
}
