import CivilTime
import Foundation
import Outbox
import Reminders
import Sinks
import TestSupport

/// A program that keeps running, answers at once and writes each delivery to a file.
final class PipePeer: SinkPeer {
  let secrets = ["hidden-in-the-environment"]
  private let program: Program

  init() throws {
    program = try Program(
      """
      import json, os, sys
      os.chdir(os.path.dirname(sys.argv[0]))
      received = open("received", "a")
      for line in sys.stdin:
          if os.path.exists("leave"): sys.exit(1)
          if os.path.exists("stall"): continue
          delivery = json.loads(line)
          answer = {"id": delivery["id"], "outcome": "delivered"}
          if os.path.exists("refuse-" + delivery["id"]):
              answer |= {"outcome": "rejected", "reason": "not this one"}
          else:
              received.write(line)
              received.flush()
          print(json.dumps(answer), flush=True)
      """, .python)
  }

  func sink(
    _ common: SinkCommonSettings, in surroundings: SinkEnvironment
  ) async throws -> any Sink {
    try ProgramSink(
      ProgramSettings(
        .pipe, name: common.name,
        command: program.command(environment: ["SECRET=" + secrets[0]]),
        deadline: Duration(common.deadline), journal: surroundings.journal))
  }

  func received() throws -> [Arrival] {
    try program.lines(of: "received").map { try Arrival(line: Array($0.utf8)) }
  }

  func disconnect() throws {
    try program.directory.write("", to: "leave")
    try program.removeFile()
  }

  func reconnect() throws {
    try FileManager.default.removeItem(atPath: program.directory.path + "/leave")
    try program.createFile()
  }

  func stall() throws { try program.directory.write("", to: "stall") }

  func refuse(_ identifier: String) throws {
    try program.directory.write("", to: "refuse-" + identifier)
  }
}
