/// The events of a type that trigger a reminder with both `where` and `after`. Facts remember the
/// latest matching event under a separate type, so that a newer event without a match does not
/// replace it.
struct EventSelection: Sendable {
  /// The type under which facts remember the matching events.
  let type: Symbol
  /// The conditions of `where`, all of which a matching event meets.
  let conditions: [DataCondition]
  /// The event's field of the kind `identifier`, if it has one.
  let identifierField: Symbol?

  /// Whether every remembered event matches, because no condition compares with a setting. A
  /// comparison with a setting is made only while planning, because settings may change.
  private var isFixed: Bool { conditions.allSatisfy(\.isFixed) }

  /// The maximum number of remembered events without an identifier.
  var rememberedMax: Int { isFixed ? 1 : Facts.reportsMax }

  /// Returns how facts remember a report for this selection; nil if the report cannot match.
  func memory(of report: Report) -> Report.Match? {
    guard conditions.allSatisfy({ $0.holds(report.details, nil) }) else { return nil }
    return Report.Match(
      type: type, identifier: isFixed ? report.identifier : nil, rememberedMax: rememberedMax)
  }

  /// Returns the identifier of the entity that an item's event is about; nil if it has none.
  func identifier(of item: Item) -> String? {
    guard let identifierField,
      case .text(let identifier)? = item.details.first(where: { $0.field == identifierField })?
        .value
    else { return nil }
    return identifier
  }
}

extension Report {
  /// The way in which a report is remembered under another type, in addition to its own type.
  struct Match: Hashable, Sendable {
    var type: Symbol
    /// The identifier under which only the latest report is remembered; nil to remember the latest
    /// `rememberedMax` reports instead.
    var identifier: String?
    /// The maximum number of remembered reports without an identifier.
    var rememberedMax: Int
  }

  /// Returns the report in the form that is remembered for a match.
  func remembered(for match: Match) -> Report {
    Report(identifier: match.identifier, details: details, rememberedMax: match.rememberedMax)
  }
}

extension Facts {
  /// Returns the index of the latest item of a selection; nil if there is none.
  func item(of selection: EventSelection, _ settings: Settings) -> Int? {
    let range = items(of: selection.type)
    Work.count(range.count)
    return range.filter { index in
      selection.conditions.allSatisfy { $0.holds(items[index].details, settings) }
    }.max { items[$0].stamp < items[$1].stamp }
  }
}
