import Glibc
import Systemd
import TestSupport

/// A journal whose entries a test can read.
final class CapturedJournal {
  let journal: Journal
  private let directory: TemporaryDirectory
  private let descriptor: Int32

  init(in directory: TemporaryDirectory) throws {
    self.directory = directory
    descriptor = open(
      directory.path + "/journal", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    journal = Journal(.lines(descriptor))
  }

  deinit { close(descriptor) }

  func text() throws -> String { try directory.text(of: "journal") }

  /// The entries without their times.
  func entries() throws -> [String] {
    try text().split(separator: "\n").map {
      $0.split(separator: " ", maxSplits: 1).last.map(String.init) ?? ""
    }
  }
}
