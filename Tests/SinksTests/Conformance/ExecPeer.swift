import CivilTime
import Foundation
import Outbox
import Reminders
import Sinks
import TestSupport

/// A program that is started for each delivery and appends it to a file.
final class ExecPeer: SinkPeer {
  let secrets = ["hidden-in-the-environment"]
  private let program: Program

  init() throws {
    program = try Program(
      """
      cd "${0%/*}"
      [ ! -e stall ] || exec sleep 1000
      [ ! -e "refuse-${CHIMED_DELIVERY%-push}" ] || exit 67
      IFS= read -r line && printf '%s\\n' "$line" >> received
      """)
  }

  func sink(
    _ common: SinkCommonSettings, in surroundings: SinkEnvironment
  ) async throws -> any Sink {
    try ProgramSink(
      ProgramSettings(
        .exec, name: common.name,
        command: program.command(environment: ["SECRET=" + secrets[0]]),
        deadline: Duration(common.deadline), journal: surroundings.journal))
  }

  func received() throws -> [Arrival] {
    try program.lines(of: "received").map { try Arrival(line: Array($0.utf8)) }
  }

  func disconnect() throws { try program.removeFile() }
  func reconnect() throws { try program.createFile() }
  func stall() throws { try program.directory.write("", to: "stall") }

  func refuse(_ identifier: String) throws {
    try program.directory.write("", to: "refuse-" + identifier)
  }
}
