import CivilTime

/// A recipient's setting for one entity, such as one medicine (rule P10). Of several settings with
/// one path and identifier, the latest stamp wins.
package struct EntitySetting: Hashable, Sendable {
  /// The symbol of the setting's path without the identifier.
  package let path: Symbol
  /// The identifier of the entity, compared byte by byte.
  package let identifier: String
  /// The value; nil if the entity follows its group again.
  package let value: Int64?
  package var stamp: Stamp

  /// The maximum number of entities with settings of their own.
  package static let countMax = 64
  /// The maximum number of removed settings that are remembered.
  fileprivate static let removedMax = 256

  fileprivate func isBefore(_ identifier: ExactText, _ path: Symbol) -> Bool {
    let other = ExactText(self.identifier)
    return other == identifier ? self.path < path : other < identifier
  }
}

extension Facts {
  /// Sets an entity's setting. The order of calls does not matter.
  mutating func note(_ setting: EntitySetting) {
    let identifier = ExactText(setting.identifier)
    let index = entitySettings.partitionPoint { $0.isBefore(identifier, setting.path) }
    guard index < entitySettings.endIndex, entitySettings[index].path == setting.path,
      ExactText(entitySettings[index].identifier) == identifier
    else {
      entitySettings.insert(setting, at: index)
      return forgetRemovedSetting()
    }
    guard entitySettings[index].stamp < setting.stamp else { return }
    entitySettings[index] = setting
    if setting.value == nil { forgetRemovedSetting() }
  }

  /// Returns the settings of an entity.
  func entitySettings(about identifier: String) -> ArraySlice<EntitySetting> {
    let identifier = ExactText(identifier)
    let start = entitySettings.partitionPoint { ExactText($0.identifier) < identifier }
    return entitySettings[start...].prefix { ExactText($0.identifier) == identifier }
  }

  /// Returns an entity's setting; nil if the entity follows its group.
  func entitySetting(_ path: Symbol, about identifier: String) -> Int64? {
    entitySettings(about: identifier).first { $0.path == path }?.value
  }

  /// Returns the number of entities with settings of their own. Settings that the catalog no longer
  /// declares do not count, because no document shows them.
  package func configuredEntityCount(in schema: SettingsSchema) -> Int {
    let paths = Set(schema.entityGroups.flatMap(\.settings).map(\.symbol))
    let settings = entitySettings.lazy.filter { $0.value != nil && paths.contains($0.path) }
    return Set(settings.map { ExactText($0.identifier) }).count
  }

  /// Forgets the oldest removed setting if there are too many.
  private mutating func forgetRemovedSetting() {
    let removed = entitySettings.indices.filter { entitySettings[$0].value == nil }
    guard removed.count > EntitySetting.removedMax else { return }
    let oldest = removed.min { entitySettings[$0].stamp < entitySettings[$1].stamp }
    if let oldest { entitySettings.remove(at: oldest) }
  }

  /// Forgets the settings of entities that the facts have forgotten. A setting may be written
  /// before the first event of its entity, so each setting is kept for at least
  /// `EntityUse.memoryMin`.
  ///
  /// - Complexity: linear in the items and the settings.
  mutating func forgetEntitySettings() {
    guard !entitySettings.isEmpty, let now = items.lazy.map(\.stamp.time).max() else { return }
    Work.count(items.count + entitySettings.count)
    let identifiers = rememberedIdentifiers
    entitySettings.removeAll {
      $0.stamp.time < now - EntityUse.memoryMin && !identifiers.contains(ExactText($0.identifier))
    }
  }
}

extension EntitySetting {
  /// - Parameter base: the instant in milliseconds from which stored times count.
  func write(to writer: inout ByteWriter, since base: Int64) {
    writer.symbol(path)
    writer.text(identifier)
    writer.signed(value ?? SettingKind.unset)
    writer.stamp(stamp, since: base)
  }

  init(from reader: inout ByteReader, since base: Int64) throws(CodingFailure) {
    path = try reader.symbol()
    identifier = try reader.text()
    let number = try reader.signed()
    value = number == SettingKind.unset ? nil : number
    stamp = try reader.stamp(since: base)
  }
}
