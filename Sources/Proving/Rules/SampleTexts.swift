import CivilTime
import Reminders

/// Renders every text in each of its languages with made-up data.
struct SampleTexts {
  private let declarations: Declarations
  private let planner: Planner

  init(_ declarations: Declarations, _ planner: Planner) {
    (self.declarations, self.planner) = (declarations, planner)
  }

  /// A finding for each reminder with a text that is incomplete although its event has all values.
  var findings: [Finding] {
    let instant = planner.defaultZone.instant(
      of: LocalDate(daysSinceEpoch: 20_465), at: .midnight)
    return declarations.reminders.flatMap { declared in
      planner.catalog.samples(of: declared.reminder, at: instant, in: planner.defaultZone)
        .flatMap { $0 }
        .filter { !$0.title.isCompleteText || !$0.body.isCompleteText }
        .prefix(1)
        .map { sample in
          Finding(
            rule: .texts, reminder: declared.name,
            fault: "a text of \"\(declared.name)\" in \(sample.language) is empty or has an "
              + "unfilled placeholder",
            world: World(acts: [], until: instant))
        }
    }
  }
}
