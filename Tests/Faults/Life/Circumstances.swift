import CivilTime
import SQLiteStore
import Store
import TestSupport

/// What some lives have and others have not. It follows from the seed's number, so that any run of
/// many has some of each.
struct Circumstances {
  /// How many bits the store's hashes have: with few of them everything collides, and must be told
  /// apart all the same (rule E5).
  let hashWidth: Int
  /// From how many bytes on the store's log is moved into the database: as a rule a few commits'.
  var logSize: Int64 = 256 << 10
  /// Whom there is more to tell than anybody else.
  var crowd: Crowd?
  /// How many people there are; a few if nil.
  var people: Int?
  /// Whether what is to be said to a crowd is decided on a thread of its own.
  var decidesApart = false
  /// For how long what is kept is kept; for good if nil.
  var retention: Retention?
  /// Of a sink that is no simulation.
  var client: AnsweredSink.Client?

  /// What a simulator has that runs thousands of them.
  init(seed: UInt64) {
    hashWidth = seed % 3 == 0 ? 8 : 64
    if seed % 4 == 1 { retention = .days }
    if seed % 5 == 2 { logSize = SQLiteStore.logSize }
    if seed % 20 == 7 {
      var random = SplitMix64(seed: seed)
      crowd = Crowd(&random)
    }
  }

  /// What one has in which hundreds of people are reminded at the same instants.
  init(townSeed seed: UInt64) {
    hashWidth = 64
    if seed % 4 == 1 { retention = .days }
    var random = SplitMix64(seed: seed)
    people = random.int(in: 300..<1_500)
    decidesApart = seed % 2 == 1
  }

  /// What one has whose receiver speaks a grammar to a real client.
  init(answeredSeed seed: UInt64) {
    hashWidth = 64
    client = AnsweredSink.Client.allCases[Int(seed % UInt64(AnsweredSink.Client.allCases.count))]
  }

  /// What is swept has nothing else in its way.
  init(seed: UInt64, sweep: Sweep.Point) {
    hashWidth = seed % 3 == 0 ? 8 : 64
    if sweep.deed == .prune { retention = .hours }
  }
}

extension Retention {
  /// Short enough for some weeks, and longer than what is attempted again.
  fileprivate static var days: Retention {
    var retention = Retention()
    (retention.notifications, retention.events, retention.attempts) = (
      .days(5), .days(2), .days(1)
    )
    return retention
  }

  /// Short enough for a day.
  fileprivate static var hours: Retention {
    var retention = Retention()
    (retention.notifications, retention.events, retention.attempts) = (
      .hours(6), .hours(5), .hours(4)
    )
    return retention
  }
}
