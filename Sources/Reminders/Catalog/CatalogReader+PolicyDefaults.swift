import Yams

/// Reads the operator's defaults of preferences (rule V19).
extension CatalogReader {
  /// A default that a policy gives. Any of the catalogs may declare the preference, so the default
  /// is applied when all have been read.
  struct PolicyDefault {
    let path: Node
    let value: Node
    let file: String
  }

  /// The preferences that may have a default of the operator, by the first part of their paths. The
  /// others have none: recipients alone decide about the master switch and vacations, and catalogs
  /// declare hints.
  private static let defaultSections = [
    "channels", "categories", "reminders", "quietHours", "dayStart", "calendar", "caps",
    "bundling", "email", "sms",
  ]

  mutating func readPolicyDefaults(_ node: Node) {
    guard let mapping = node.mapping else { return report(node, "\"defaults\"", mustBe: .mapping) }
    policyDefaults += mapping.map { PolicyDefault(path: $0, value: $1, file: file) }
  }

  /// Applies the defaults. A default of the configuration replaces those of catalogs, which are
  /// then not checked. Two catalogs with different defaults are reported.
  mutating func finishPolicyDefaults(configuration: String?) {
    var applied: [Symbol: (value: Int64, file: String)] = [:]
    let replaced = Set(
      policyDefaults.lazy.filter { $0.file == configuration }.compactMap(\.path.string))
    policyDefaults.removeAll {
      $0.file != configuration && replaced.contains($0.path.string ?? "")
    }
    for entry in policyDefaults {
      file = entry.file
      let limits = file == configuration ? catalog.policies : fileLimits[file] ?? Policies()
      guard let change = change(to: entry, within: limits),
        let index = catalog.settings.index(of: change.path)
      else { continue }
      if let other = applied[change.path], other.value != change.value {
        report(
          entry.value,
          "\(other.file) has another default of \"\(entry.path.string ?? "")\"; remove one of them")
        continue
      }
      applied[change.path] = (change.value, file)
      catalog.setDefault(of: index, to: catalog.settings.limited(change.value, of: index))
    }
    checkDefaultQuietHours()
  }

  /// - Parameter limits: the limits that the default must not exceed: those of its own catalog, or
  ///   all limits for a default of the configuration.
  private mutating func change(
    to entry: PolicyDefault, within limits: Policies
  ) -> SettingChange? {
    let path = entry.path.string ?? ""
    guard let change = change(entry.path, entry.value) else { return nil }
    guard Self.defaultSections.contains(where: { path.prefix { $0 != "." } == $0 }) else {
      report(
        entry.path,
        "the operator gives \"\(path)\" no default (possible: "
          + "\(Self.defaultSections.joined(separator: ", ")))")
      return nil
    }
    var settings = catalog.settings
    settings.limit(by: limits)
    do {
      try settings.check([change])
    } catch {
      report(entry.value, "\"\(path)\" \(error.reason)")
      return nil
    }
    return change
  }

  /// Reports quiet hours that no recipient could set (rule P7).
  private mutating func checkDefaultQuietHours() {
    func value(_ setting: BuiltInSetting) -> Int64 {
      catalog.settings.initialValues[setting.rawValue]
    }
    if value(.quietStart) == value(.quietEnd) {
      report(defaultOf: [.quietStart, .quietEnd], Refusal.equalTimes)
    }
    if value(.quietDays) == 0 {
      report(defaultOf: [.quietDays], "quiet hours need at least one day")
    }
  }

  private mutating func report(defaultOf settings: [BuiltInSetting], _ message: String) {
    let paths = settings.map(\.path)
    guard let entry = policyDefaults.last(where: { paths.contains($0.path.string ?? "") }) else {
      return
    }
    file = entry.file
    report(entry.value, message)
  }
}

extension Catalog {
  /// Sets the default of a preference, also in the presets that turn switches to their defaults.
  fileprivate func setDefault(of setting: Int, to value: Int64) {
    settings.setInitialValue(of: setting, to: value)
    for preset in presets.indices {
      presets[preset].setDefault(of: setting, isOn: value != 0)
    }
  }
}
