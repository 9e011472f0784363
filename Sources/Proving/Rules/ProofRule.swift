/// A rule that every catalog should keep.
package enum ProofRule: String, CaseIterable, Sendable {
  case dailyLimit = "daily-limit"
  case quietHours = "quiet-hours"
  case independentThings = "independent-things"
  case announced = "announced"
  case notAfter = "not-after"
  case texts = "texts"
  case alive = "alive"
  case seriesEnd = "ladders-end"
  case noDoubles = "no-doubles"
  case doneIsQuiet = "done-is-quiet"
  case switchesAreExact = "switches-are-exact"

  /// The rule as a sentence.
  package var statement: String {
    switch self {
    case .dailyLimit: "no channel carries more than n notifications a day to a person"
    case .quietHours: "nothing but critical notifications interrupts quiet hours"
    case .independentThings: "finishing or ending a thing changes no other thing"
    case .announced: "each booked thing is announced while it is ahead"
    case .notAfter: "nothing is sent at or after the instant that it announces"
    case .texts: "every text is complete in every language and stays true when it is late"
    case .alive: "every reminder and every message can occur"
    case .seriesEnd: "every repetition and every series that an event begins can end"
    case .noDoubles: "two reminders never say the same at one instant"
    case .doneIsQuiet: "a person who has done everything about a thing gets nothing more about it"
    case .switchesAreExact: "switching a group off silences its own reminders and no others"
    }
  }

  /// Whether the rule has a limit n.
  var hasLimit: Bool { self == .dailyLimit }
}
