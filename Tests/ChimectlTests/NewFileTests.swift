import Foundation
import TestSupport
import Testing

@testable import chimectl

/// Files that commands write under names that other programs may use meanwhile.
@Suite struct NewFileTests {
  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path + "/copy"
  }

  private func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
  }

  private static func existsError(_ path: String) -> CommandError {
    CommandError(.cannotCreate, "\(path) exists already", hint: "give another name")
  }

  @Test func `a file gets its name when it is complete`() throws {
    let file = try NewFile(path)
    try file.write("whole".utf8)
    #expect(try files() == ["copy.partial"])
    try file.finish()
    #expect(try files() == ["copy"] && directory.text(of: "copy") == "whole")
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600 && file.size == 5)
  }

  @Test func `a file that another program creates meanwhile stays`() throws {
    do {
      let file = try NewFile(path)
      try file.write("ours".utf8)
      try directory.write("theirs", to: "copy")
      #expect(throws: Self.existsError(path)) { try file.finish() }
    }
    #expect(try files() == ["copy"] && directory.text(of: "copy") == "theirs")
  }

  @Test func `an incomplete file of another command stays`() throws {
    try directory.write("half", to: "copy.partial")
    let error = CommandError(
      .cannotCreate, "\(path).partial exists already",
      hint: "delete it if no other command is writing it, or give another name")
    #expect(throws: error) { _ = try NewFile(path) }
    #expect(try files() == ["copy.partial"] && directory.text(of: "copy.partial") == "half")
  }

  @Test func `a link that leads nowhere stays`() throws {
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "nowhere")
    #expect(throws: Self.existsError(path)) { _ = try NewFile(path) }
    #expect(try files() == ["copy"])
  }

  @Test func `an abandoned file leaves nothing`() throws {
    do {
      let file = try NewFile(path)
      try file.write("half".utf8)
    }
    #expect(try files() == [])
  }
}
