import CivilTime
import JSON
import Yams

/// Reads catalog files into a `Catalog`, and collects the mistakes in them.
struct CatalogReader: YAMLReading {
  let catalog: Catalog
  /// The mistakes in all files so far.
  var diagnostics: [Diagnostic] = []
  /// The name of the current file.
  var file = ""
  /// The language of the current file's messages.
  var language = LanguageTag.english
  /// The event field that names the recipient of the current reminder; nil for the event's own
  /// recipient.
  var audience: String?
  /// The roles that the current file declares.
  var roles: [String] = []
  /// The placeholders of the current reminder's messages.
  var placeholders: [String: Template.Segment] = [:]
  /// The former names of reminders, each with its position.
  var formerNames: [FormerName] = []
  /// The paths of parameters with wrong values. References to them are not reported.
  var wrongParameters: Set<String> = []
  /// The names of reminders with mistakes. References to them are not reported.
  var wrongReminders: Set<String> = []
  /// The number of texts that were read in the current file.
  var textCount = 0
  /// The number of reminders that were read in the current file.
  var reminderCount = 0
  /// The categories that policies name.
  var policyCategories: [NamedCategory] = []
  /// The limits of the preferences that the policies of each file give.
  var fileLimits: [String: Policies] = [:]
  /// The defaults that policies give. The defaults of the configuration are last.
  var policyDefaults: [PolicyDefault] = []
  /// The declarations that were read, by their kind and name, such as `the category "LESSON"`.
  var declarations: [String: Declaration] = [:]

  /// Reads files. A file that is named twice is reported once, not once for each of its
  /// declarations.
  ///
  /// - Parameter policies: the policies of the configuration; nil if it has none.
  mutating func read(_ sources: [CatalogSource], _ policies: PolicySource?) {
    var files: Set<String> = []
    for source in sources {
      if files.insert(source.file).inserted { read(source) } else { reportTwice(source.file) }
    }
    readFormerNames()
    if let policies { readPolicies(of: policies) }
    finishPolicies(configuration: policies?.file)
    for (setting, value) in catalog.declaredHints.end() {
      catalog.settings.setInitialValue(of: setting, to: value)
    }
  }

  private mutating func reportTwice(_ file: String) {
    diagnostics.append(
      Diagnostic(file: file, message: "this catalog is named more than once; name it once"))
  }

  private mutating func read(_ source: CatalogSource) {
    file = source.file
    (textCount, reminderCount, roles) = (0, 0, [])
    let previousCount = diagnostics.count
    defer { sortDiagnostics(from: previousCount) }
    guard let root = compose(source.text) else { return }
    let members = members(root, of: "a catalog", .catalog)
    guard checkCount(members["events"], "events", CatalogBounds.events),
      checkCount(members["reminders"], "reminders", CatalogBounds.reminders)
    else { return }
    if let name = members["catalog"].flatMap({ text($0, "catalog") }) {
      catalog.catalogNames.append(name)
    }
    language = members["language"].flatMap { language($0, "language") } ?? .english
    readEvents(members["events"])
    readRoles(members["roles"])
    let groups = entries(members["groups"], "groups")
    for (name, node) in groups { readGroup(name, node) }
    let categories = entries(members["categories"], "categories")
    for (name, node) in categories { readCategory(name, node) }
    for (name, node) in categories { readActions(ofCategory: name, node) }
    let contents = Contents(categories: categories.map(\.0), groups: groups.map(\.0))
    catalog.categoryNames[catalog.catalogNames.last ?? "", default: []] += contents.categories
    readTitles(members["titles"])
    readDigest(members["digest"])
    catalog.declaredHints.beginCatalog(declaring: contents.categories)
    readDefaults(members["defaults"])
    readPolicies(members["policies"])
    readPresets(members["presets"], of: contents)
    for (name, node) in entries(members["reminders"], "reminders") { readReminder(name, node) }
  }
}

extension CatalogReader {
  /// Reads a list of days such as [mon, sat], as bits.
  mutating func days(_ node: Node, _ subject: String) -> Int64? {
    guard let sequence = node.sequence, !sequence.isEmpty else {
      report(
        node, "\(subject) must be a list of days such as [mon, sat]" + hint(atMeaningOf: node))
      return nil
    }
    var bits: Int64 = 0
    for entry in sequence {
      let name = entry.string ?? ""
      guard let day = Weekday(name: name) else {
        report(entry, "\"\(name)\" is not a day" + dayHint(name))
        continue
      }
      bits |= day.bit
    }
    return bits
  }

  /// Returns a hint at the day that a word means, or at all days.
  func dayHint(_ word: String) -> String {
    let names = Weekday.allCases.map(\.name)
    if let day = MeantValue.day(word) { return MeantValue.question(day.name) }
    let nearest = hint(word, names)
    return nearest.isEmpty ? " (known: \(names.joined(separator: ", ")))" : nearest
  }

  /// Reads one event type or a list of them.
  mutating func events(_ node: Node) -> [Symbol] {
    guard let sequence = node.sequence else { return event(node).map { [$0] } ?? [] }
    var symbols: [Symbol] = []
    for entry in sequence {
      if let symbol = event(entry) { symbols.append(symbol) }
    }
    return symbols
  }
}

/// The text of one catalog file.
package struct CatalogSource: Sendable {
  package let file: String
  package let text: String

  package init(file: String, text: String) {
    self.file = file
    self.text = text
  }
}

extension Catalog {
  /// Reads catalog files into one catalog.
  ///
  /// - Parameter policies: the policies of the configuration; nil if it has none.
  /// - Throws: all mistakes in the files.
  package convenience init(
    reading sources: [CatalogSource], policies: PolicySource? = nil
  ) throws(CatalogErrors) {
    self.init()
    var reader = CatalogReader(catalog: self)
    reader.read(sources, policies)
    guard reader.diagnostics.isEmpty else {
      throw CatalogErrors(diagnostics: reader.diagnostics)
    }
    (self.sources, policySource) = (sources, policies)
    requestReminders = categories.enumerated().map { Reminder(requestedIn: $1, index: $0) }
    lockSettings()
    addEntityGroups()
    alternatives = ReminderAlternatives(of: reminders).symbols
    entityUse = EntityUse(of: reminders)
    for reminder in reminders {
      guard let repeated = reminder.repeated else { continue }
      repetitions[repeated, default: []].append(reminder.symbol)
    }
    // A simple hash is enough, because an author of catalogs gains nothing from a collision.
    let texts = sources.map(\.text) + [policies?.text].compactMap(\.self)
    let hash = texts.reduce(UInt64(0)) { mixed($0 ^ stableHash($1)) }
    fingerprint = String(hash, radix: 16)
  }
}

extension CatalogReader {
  /// Reads `defaults: {hints: {badgeCounts: delivered}}`: the hints (sound, badge and the like) of
  /// the catalog's notifications, for recipients who have not set them.
  mutating func readDefaults(_ node: Node?) {
    guard let node else { return }
    let members = members(node, of: "the defaults", .defaults)
    for entry in keyedEntries(members["hints"], "hints") { readHint(entry) }
  }

  /// The hints with a default in catalogs. Discreet texts have none: categories declare them.
  static let hints = BuiltInSetting.allCases.filter {
    $0.path.hasPrefix("hints.") && $0 != .discreet
  }

  private mutating func readHint(_ entry: YAMLEntry) {
    guard let hint = Self.hints.first(where: { $0.path == "hints.\(entry.name)" }) else {
      let known = Self.hints.map { String($0.path.dropFirst("hints.".count)) }
      return report(
        entry.key,
        "there is no hint \"\(entry.name)\"" + Reminders.hint(entry.name, known)
          + " (known: \(known.joined(separator: ", ")))")
    }
    let value = entry.value.bool.map(JSONValue.bool) ?? .string(entry.value.string ?? "")
    do {
      catalog.declaredHints.declare(try hint.kind.number(from: value), of: hint)
    } catch {
      report(entry.value, "\"\(entry.name)\" \(error.reason)")
    }
  }
}
