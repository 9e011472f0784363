import Foundation
import TestSupport
import Testing

@testable import Engine

/// Rule T1: every change of the tz database is reported, and nothing else.
@Suite struct ZoneWatchTests {
  private let directory: TemporaryDirectory
  private let zones: String
  private let watch: ZoneWatch

  init() throws {
    directory = try TemporaryDirectory.inMemory()
    zones = directory.path + "/zones"
    try FileManager.default.createDirectory(
      atPath: zones + "/America/Argentina", withIntermediateDirectories: true)
    watch = try #require(ZoneWatch(directory: zones))
  }

  private func write(_ path: String) throws {
    try Data("TZif".utf8).write(to: URL(filePath: path))
  }

  private func rename(_ from: String, _ to: String) throws {
    try #require(Glibc.rename(from, to) == 0, "errno \(errno)")
  }

  @Test func `initially nothing has changed`() {
    #expect(!watch.readChanges())
  }

  @Test(arguments: ["UTC", "America/Vancouver", "America/Argentina/Ushuaia"])
  func `a file renamed into the directory is a change`(name: String) throws {
    try write(directory.path + "/new")
    #expect(!watch.readChanges(), "a file outside the directory is no change")
    try rename(directory.path + "/new", zones + "/" + name)
    #expect(watch.readChanges())
    #expect(!watch.readChanges(), "a change is reported once")
  }

  @Test func `a new directory is watched`() throws {
    let path = zones + "/Europe"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    #expect(watch.readChanges())
    #expect(watch.watchAgain())
    try write(path + "/Paris")
    #expect(watch.readChanges())
  }

  @Test func `a replaced directory is a change and is watched`() throws {
    let other = directory.path + "/other"
    try FileManager.default.createDirectory(
      atPath: other + "/America", withIntermediateDirectories: true)
    #expect(!watch.readChanges())
    try rename(zones, directory.path + "/old")
    _ = watch.readChanges()
    try rename(other, zones)
    #expect(watch.readChanges())
    #expect(watch.watchAgain())
    try write(zones + "/America/Vancouver")
    #expect(watch.readChanges())
  }

  @Test func `a changed link is a change, and its new target is watched`() throws {
    let link = directory.path + "/current"
    try #require(symlink("zones", link) == 0)
    let watch = try #require(ZoneWatch(directory: link))
    try FileManager.default.createDirectory(
      atPath: directory.path + "/next", withIntermediateDirectories: false)
    #expect(!watch.readChanges())
    try #require(symlink("next", directory.path + "/renamed") == 0)
    _ = watch.readChanges()
    try rename(directory.path + "/renamed", link)
    #expect(watch.readChanges())
    #expect(watch.watchAgain())
    try write(directory.path + "/next/UTC")
    #expect(watch.readChanges())
  }

  @Test func `a missing directory cannot be watched`() {
    #expect(ZoneWatch(directory: directory.path + "/none") == nil)
  }
}
