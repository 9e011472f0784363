extension BannedCall {
  static func violations(in file: ProjectFile) -> [Violation] {
    list.flatMap { $0.violations(in: file) }
  }

  private static let list: [BannedCall] =
    crashes + access + civilTime + output + clocks + randomness + effects + sleeps

  /// The formatter refuses `try!`, `as!` and forced unwrapping.
  private static let crashes = [
    BannedCall("fatalError(", in: .sources, instead: "throw an error that describes the fault")
  ]

  private static let access = [
    BannedCall("public", in: .ownModules, instead: "use `package`: other packages do not import it")
  ]

  private static let civilTime =
    [
      "TimeZone(", "TimeZone.", "Calendar(", "Calendar.", "DateComponents", "DateFormatter",
      "ISO8601DateFormatter", "RecurrenceRule",
    ].map {
      BannedCall($0, in: .ownModules, instead: "use `CivilTime`, the only module for dates")
    }

  private static let output = ["print(", "debugPrint(", "dump("].map {
    BannedCall($0, in: .libraries, instead: "log it, or return it to the program")
  }

  private static let clocks =
    [BannedCall(".now", in: .pureTargets, unless: .memberOfValue, instead: timeAdvice)]
    + [
      "Date(", "Date.now", "ContinuousClock", "SuspendingClock", "DispatchTime",
      "DispatchWallTime", "clock_gettime(", "gettimeofday(", "time(nil", "ProcessInfo",
    ].map { BannedCall($0, in: .pureTargets, instead: timeAdvice) }

  private static let timeAdvice = "take the time as an argument"

  private static let randomness =
    ["SystemRandomNumberGenerator", "UUID(", "arc4random", "getrandom("].map {
      BannedCall($0, in: .pureTargets, instead: generatorAdvice)
    }
    + [".random(", ".randomElement(", ".shuffled(", ".shuffle("].map {
      BannedCall($0, in: .pureTargets, unless: .argument("using"), instead: generatorAdvice)
    }

  private static let generatorAdvice = "take a seeded generator as an argument and pass it on"

  private static let effects = ["await", "async", "FileManager", "FileHandle", "fopen("].map {
    BannedCall($0, in: .core, instead: "decide here, and act in Store, Outbox or Engine")
  }

  private static let sleeps =
    (["Task", "Thread"].map { $0 + ".sleep" } + ["Task.yield", "sleep(", "usleep", "nanosleep"])
    .map { BannedCall($0, in: .tests, instead: "use a virtual clock, or wait for a signal") }
}
