package import JSON

/// The changes that a written document makes to settings, and to the profile fields that the
/// document's format includes. It is empty if the document changes nothing.
package struct PreferencesWrite: Hashable, Sendable {
  package var settings: [SettingChange] = []
  package var profile: [ProfileChange] = []

  package init(settings: [SettingChange] = [], profile: [ProfileChange] = []) {
    self.settings = settings
    self.profile = profile
  }

  package var isEmpty: Bool { settings.isEmpty && profile.isEmpty }

  mutating func add(_ other: PreferencesWrite) {
    settings += other.settings
    profile += other.profile
  }
}

extension [SettingChange] {
  /// Returns only the changes that alter something. They may alter a setting of the recipient or of
  /// an entity, an announced vacation, or the preset that the recipient saved.
  func effective(in context: PlanningContext) -> [SettingChange] {
    let windows = QuietWindow.windows(in: self)
    let keepsWindows = windows == context.settings.quietHours.others
    return filter { change in
      QuietWindow.isPath(change.path) ? !keepsWindows : change.isEffective(in: context)
    }
  }

  /// Returns the changes without those that repeat a current or announced vacation. A repetition
  /// would make the vacation begin again at the time of the write.
  func withoutRepeatedVacations(in context: PlanningContext) -> [SettingChange] {
    filter { !$0.changesVacation || $0.isEffective(in: context) }
  }

  /// Returns the changes. If they set one of the two times of quiet hours, an operator's default of
  /// the other time is added as a change. Otherwise this default would be lost, because it applies
  /// only to recipients who have set neither time (rule V19).
  func completingQuietHours(in context: PlanningContext) -> [SettingChange] {
    let times = [BuiltInSetting.quietStart, .quietEnd]
    let unset = times.filter { time in !contains { $0.path == Symbol(time.path) } }
    guard unset.count == 1, let other = unset.first else { return self }
    let value = context.settings[other]
    guard value != other.initial,
      !context.facts.settings.contains(where: { $0.path == Symbol(other.path) })
    else { return self }
    return self + [SettingChange(path: Symbol(other.path), value: value)]
  }

  /// Refuses a write that would make the start and the end of quiet hours equal (rule P7). A time
  /// that the write lacks keeps its stored value.
  func checkQuietHours(
    in context: PlanningContext, orThrow refusal: Refusal
  ) throws(Refusal) {
    func value(_ setting: BuiltInSetting) -> Int64 {
      last { $0.path == Symbol(setting.path) }?.value ?? context.settings[setting]
    }
    let changesTimes = contains {
      $0.path == Symbol(BuiltInSetting.quietStart.path)
        || $0.path == Symbol(BuiltInSetting.quietEnd.path)
    }
    if changesTimes, value(.quietStart) == value(.quietEnd) { throw refusal }
  }
}

extension SettingChange {
  /// Returns whether the change alters a setting, an announced vacation or the preset that the
  /// recipient saved. The cancellation of a vacation that was never announced counts too, so that a
  /// later check refuses it.
  fileprivate func isEffective(in context: PlanningContext) -> Bool {
    let facts = context.facts
    if let dates = announcement {
      guard facts.announcedVacation(from: dates.from) != nil else { return true }
      let open = facts.openVacations(in: context.zone).first { $0.from == dates.from }
      return open?.until != dates.until
    }
    if let entity {
      return facts.entitySetting(path, about: entity) ?? SettingKind.unset != value
    }
    guard let index = context.catalog.settings.index(of: path) else {
      return facts.settings.first { $0.path == path }?.value ?? SettingKind.unset != value
    }
    return context.settings[index] != value
  }
}

/// The members that a JSON document may have, each by its path such as `quietHours.start`.
package protocol DocumentShape {
  /// The paths of all members, for suggestions in refusals.
  var members: [String] { get }
  func isMember(_ path: String) -> Bool
  /// Whether a path is an object with members.
  func isObject(_ path: String) -> Bool
}

/// A member of a document.
package struct DocumentLeaf: Hashable, Sendable {
  package let path: String
  package let value: JSONValue
}

extension DocumentShape {
  /// Returns the members of a document, which may omit any of them. Refuses an unknown member with
  /// its path (rules P1, H3).
  ///
  /// - Parameter root: the path of the document in refusals; empty if the document is a whole body.
  func leaves(of document: JSONObject, root: String) throws(Refusal) -> [DocumentLeaf] {
    var leaves: [DocumentLeaf] = []
    try collect(document, under: "", root: root, into: &leaves)
    return leaves
  }

  private func collect(
    _ object: JSONObject, under prefix: String, root: String, into leaves: inout [DocumentLeaf]
  ) throws(Refusal) {
    for member in object {
      let path = prefix + member.key
      guard !member.key.utf8.contains(UInt8(ascii: ".")) else {
        throw Refusal(
          path: fullPath(path, in: root), "is not a preference; write its parts as nested objects")
      }
      if isMember(path) {
        leaves.append(DocumentLeaf(path: path, value: member.value))
      } else if case .object(let object) = member.value, isObject(path) {
        try collect(object, under: path + ".", root: root, into: &leaves)
      } else {
        throw unknown(member, under: prefix, root: root)
      }
    }
  }

  private func unknown(
    _ member: JSONObject.Member, under prefix: String, root: String
  ) -> Refusal {
    let path = fullPath(prefix + member.key, in: root)
    guard !isObject(prefix + member.key) else {
      return Refusal(path: path, "must be an object; it is \(member.value.kind)")
    }
    let siblings = members.filter { $0.hasPrefix(prefix) }.map {
      String($0.dropFirst(prefix.count).prefix { $0 != "." })
    }
    let meant = nearest(member.key, among: siblings).map { "; did you mean \"\(prefix)\($0)\"?" }
    return Refusal(path: path, "is not a preference" + (meant ?? ""))
  }
}

/// Returns a path that begins with the root, for refusals.
func fullPath(_ path: String, in root: String) -> String {
  root.isEmpty || path.isEmpty ? root + path : root + "." + path
}

extension JSONObject {
  /// Sets a member by its path such as `quietHours.start`, and creates missing objects on the path.
  package mutating func set(_ value: JSONValue, at path: some StringProtocol) {
    guard let dot = path.firstIndex(of: ".") else {
      self[String(path)] = value
      return
    }
    let key = String(path[..<dot])
    var object = self[key]?.objectValue ?? JSONObject()
    object.set(value, at: path[path.index(after: dot)...])
    self[key] = .object(object)
  }
}

extension Catalog {
  /// Locks the switches of the locked categories (rule P3).
  func lockSettings() {
    for category in categories where category.isLocked {
      for setting in category.channels.map(\.setting) { settings.lock(setting) }
    }
  }
}
