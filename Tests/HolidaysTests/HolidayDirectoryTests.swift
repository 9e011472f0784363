import Foundation
import Holidays
import TestSupport
import Testing

@Suite struct HolidayDirectoryTests {
  private static let text = Samples.calendar(event: "DTSTART:20260501")

  @Test func `the files of a directory and extra files are read`() throws {
    let directory = try TemporaryDirectory()
    try directory.write(Self.text, to: "DE.ics")
    try directory.write(Self.text, to: "FR.ics")
    try directory.write("nothing to read", to: "README")
    try directory.write("nothing to read", to: ".hidden.ics")
    let extraFile = try directory.write(Samples.calendar(event: "DTSTART:20260601"), to: "ours.txt")
    let database = try HolidayDatabase(directory: directory.path, extra: [extraFile])
    #expect(database.regions == ["DE", "FR"])
    #expect(try database.calendar(of: "FR").dates.count == 2)
  }

  @Test func `all errors of all files are reported`() throws {
    let directory = try TemporaryDirectory()
    try directory.write("oops", to: "DE.ics")
    try directory.write(Self.text, to: "FR.ics")
    let missing = directory.path(of: "missing.txt")
    let pipe = directory.path(of: "pipe")
    try #require(mkfifo(pipe, 0o600) == 0)
    let error = #expect(throws: HolidayErrors.self) {
      try HolidayDatabase(directory: directory.path, extra: [missing, pipe, directory.path])
    }
    let description = error?.description ?? ""
    #expect(description.contains("\(missing): cannot be opened: No such file or directory"))
    #expect(description.contains("\(pipe): is not a regular file"))
    #expect(description.contains("\(directory.path): is not a regular file"))
    #expect(description.contains("\(directory.path)/DE.ics:1: \"oops\" is not a property"))
    #expect(!description.contains("FR.ics"))
  }

  @Test func `a directory without calendar files is rejected`() throws {
    let directory = try TemporaryDirectory()
    let emptyError = #expect(throws: HolidayErrors.self) {
      try HolidayDatabase(directory: directory.path)
    }
    #expect(emptyError?.description.hasPrefix("\(directory.path): has no .ics file") == true)
    let missingError = #expect(throws: HolidayErrors.self) {
      try HolidayDatabase(directory: directory.path(of: "missing"))
    }
    #expect(missingError?.description.contains("cannot be listed: No such file") == true)
  }

  @Test func `a file above 4 MiB is rejected before it is read`() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("", to: "DE.ics")
    try #require(truncate(path, 1 << 40) == 0)
    let error = #expect(throws: HolidayErrors.self) {
      try HolidayDatabase(directory: directory.path)
    }
    #expect(error?.description == "\(path): is larger than 4 MiB; split it into several files")
  }
}
