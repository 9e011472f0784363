import CivilTime
import JSON

/// A few days of a person's life: all events, in the order of their times.
struct World: Hashable, Sendable {
  var acts: [Act]
  /// The last instant that is played.
  var until: Instant
  /// The index in the catalog's settings of the switch that the rule `switches-are-exact` turns
  /// off; nil for none.
  var probe: Int?

  /// The identifiers of the things that events are about, in the order of their first events.
  var things: [String] {
    var seen: Set<String> = []
    return acts.compactMap(\.thing).filter { seen.insert($0).inserted }
  }

  /// The world without its events of the role `preference`. In the result, quiet hours, caps,
  /// vacations and switches have only the effects that the setup gives them.
  var withoutPreferences: World { keeping { $0.role != .preference } }

  /// The number of whole days, at least 1.
  var dayCount: Int {
    guard let start = acts.first?.time else { return 1 }
    return max(1, Int((until - start).milliseconds / TimeSpan.days(1).milliseconds))
  }

  /// Returns the world with only the events for which `isKept` returns true.
  func keeping(_ isKept: (Act) -> Bool) -> World {
    var world = self
    world.acts = acts.filter(isKept)
    return world
  }

  /// Returns the world without the events about other things.
  func only(_ thing: String) -> World { keeping { $0.thing == nil || $0.thing == thing } }

  /// Adds an event after the events of the same instant.
  mutating func add(_ act: Act) {
    let index = acts.firstIndex { $0.time > act.time } ?? acts.endIndex
    acts.insert(act, at: index)
  }

  /// Returns the language that a person's events have last reported up to an instant; nil if none.
  func locale(of recipient: String, at instant: Instant) -> String? {
    acts.last { $0.recipient == recipient && $0.time <= instant && $0.data["locale"] != nil }?
      .data["locale"]?.stringValue
  }

  /// The events as a file that `chimed simulate` reads.
  var lines: [String] { acts.map { "\($0.document)" } }
}
