import Foundation
import TestSupport
import Testing

@testable import Engine

/// Rule T1: no change of the tz database goes unnoticed, and nothing else is taken for one.
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

  @Test func nothingHasChangedAtFirst() {
    #expect(!watch.readChanges())
  }

  @Test(arguments: ["UTC", "America/Vancouver", "America/Argentina/Ushuaia"])
  func aFileThatIsRenamedIntoPlaceIsAChange(name: String) throws {
    try write(directory.path + "/new")
    #expect(!watch.readChanges(), "beside the database is not in it")
    try rename(directory.path + "/new", zones + "/" + name)
    #expect(watch.readChanges())
    #expect(!watch.readChanges(), "a change is told once")
  }

  @Test func aNewDirectoryIsFollowed() throws {
    let path = zones + "/Europe"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    #expect(watch.readChanges())
    #expect(watch.watchAgain())
    try write(path + "/Paris")
    #expect(watch.readChanges())
  }

  @Test func anotherDirectoryInItsPlaceIsAChangeAndFollowed() throws {
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

  @Test func aLinkIsFollowedToWhereItLeadsNow() throws {
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

  @Test func whereThereIsNoDirectoryThereIsNoWatch() {
    #expect(ZoneWatch(directory: directory.path + "/none") == nil)
  }
}
