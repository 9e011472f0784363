import Glibc

/// The progress of a long command, shown as a line on the terminal of standard error. The line is
/// updated in place and cleared at the end. Without a terminal, nothing is shown.
package final class Progress {
  /// The minimum time between two updates by `show`.
  private static let pause = Duration.milliseconds(100)

  private let isShown: Bool
  /// The instant from which `show` updates the line again.
  private var nextUpdate = ContinuousClock.now
  /// Whether the line is on the terminal now.
  private var isVisible = false

  package init(isShown: Bool = Console.showsProgress) {
    self.isShown = isShown
  }

  deinit { clear() }

  /// Updates the line, at most every 100 ms.
  package func show(_ text: @autoclosure () -> String) {
    guard isShown, ContinuousClock.now >= nextUpdate else { return }
    nextUpdate = .now + Self.pause
    showNow(text())
  }

  /// Updates the line immediately, for example at the start of another phase.
  package func showNow(_ text: String) {
    guard isShown else { return }
    isVisible = true
    Console.printError("\r\u{1b}[K" + text.printable)
  }

  /// Clears the line.
  package func clear() {
    guard isVisible else { return }
    isVisible = false
    Console.printError("\r\u{1b}[K")
  }

  /// Returns a text such as "12.3 MB".
  static func size(_ bytes: Int) -> String {
    guard bytes >= 1_000_000 else { return "\(bytes / 1_000) kB" }
    return "\(bytes / 1_000_000).\(bytes / 100_000 % 10) MB"
  }
}
