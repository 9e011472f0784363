import CivilTime
import SQLiteStore
import Store
import TestSupport

/// The properties in which runs differ. They are computed from the seed, so that many runs cover
/// all combinations.
struct Circumstances {
  /// The number of bits of the store's hashes. With few bits, many hashes collide, and the store
  /// must still distinguish the rows (rule E5).
  let hashWidth: Int
  /// The size in bytes at which the log is moved into the database; by default, the size of a few
  /// commits.
  var logSize: Int64 = 256 << 10
  /// The burst of one person, who has many more occurrences than other people; nil for no burst.
  var burst: Burst?
  /// The number of people; nil for a few.
  var people: Int?
  /// Whether bursts are decided on a separate thread.
  var hasDeciderThread = false
  /// The retention; nil if nothing is removed.
  var retention: Retention?
  /// The client of a real sink; nil for a simulated sink.
  var client: AnsweredSink.Client?

  /// The properties of an ordinary run, of which there are thousands.
  init(seed: UInt64) {
    hashWidth = seed % 3 == 0 ? 8 : 64
    if seed % 4 == 1 { retention = .days }
    if seed % 5 == 2 { logSize = SQLiteStore.logSize }
    if seed % 20 == 7 {
      var random = SplitMix64(seed: seed)
      burst = Burst(&random)
    }
  }

  /// The properties of a run in which hundreds of people are due at the same instants.
  init(townSeed seed: UInt64) {
    hashWidth = 64
    if seed % 4 == 1 { retention = .days }
    var random = SplitMix64(seed: seed)
    people = random.int(in: 300..<1_500)
    hasDeciderThread = seed % 2 == 1
  }

  /// The properties of a run in which a real client gets random answers that a grammar generates.
  init(answeredSeed seed: UInt64) {
    hashWidth = 64
    client = AnsweredSink.Client.allCases[Int(seed % UInt64(AnsweredSink.Client.allCases.count))]
  }

  /// The properties of a run of a sweep, in which only the sweep's fault disturbs the service.
  init(seed: UInt64, sweep: Sweep.Point) {
    hashWidth = seed % 3 == 0 ? 8 : 64
    if sweep.operation == .prune { retention = .hours }
  }
}

extension Retention {
  /// A retention shorter than a run of weeks, and longer than retries last.
  fileprivate static var days: Retention {
    var retention = Retention()
    (retention.notifications, retention.events, retention.attempts) = (
      .days(5), .days(2), .days(1)
    )
    return retention
  }

  /// A retention shorter than a day.
  fileprivate static var hours: Retention {
    var retention = Retention()
    (retention.notifications, retention.events, retention.attempts) = (
      .hours(6), .hours(5), .hours(4)
    )
    return retention
  }
}
