import JSON

/// Reads the settings of single entities in a preferences document (rule P10), such as
/// `{"netflix": {"enabled": false}}`. The value null removes a setting, or all settings of an
/// entity.
struct EntitySettingsReader {
  let group: EntityGroup
  /// The path of the object in refusals.
  let path: String

  func changes(_ value: JSONValue) throws(Refusal) -> [SettingChange] {
    guard let entities = value.objectValue else {
      throw Refusal(
        path: path,
        "must be an object with settings by identifier, such as {\"a1\": {\"enabled\": false}}; "
          + "it is \(value.kind)")
    }
    var changes: [SettingChange] = []
    for entity in entities { changes += try self.changes(of: entity) }
    return changes
  }

  private func changes(of entity: JSONObject.Member) throws(Refusal) -> [SettingChange] {
    let path = "\(self.path).\(entity.key)"
    guard (1...EntityGroup.identifierMax).contains(entity.key.utf8.count),
      !entity.key.hasControlCharacters
    else {
      throw Refusal(
        path: self.path,
        "must be named by identifiers of 1 to \(EntityGroup.identifierMax) bytes without control "
          + "characters")
    }
    if entity.value.isNull { return group.settings.map { $0.change(of: entity.key, to: nil) } }
    guard let members = entity.value.objectValue else {
      throw Refusal(
        path: path, "must be an object, or null to follow the group; it is \(entity.value.kind)")
    }
    var changes: [SettingChange] = []
    for member in members {
      changes.append(try change(of: entity.key, member, at: "\(path).\(member.key)"))
    }
    return changes
  }

  private func change(
    of identifier: String, _ member: JSONObject.Member, at path: String
  ) throws(Refusal) -> SettingChange {
    guard let definition = group.settings.first(where: { $0.name == member.key }) else {
      let names = group.settings.map(\.name)
      throw Refusal(
        path: path,
        "cannot be set for one entity" + hint(member.key, names)
          + "; possible are \(names.joined(separator: ", "))")
    }
    if member.value.isNull { return definition.change(of: identifier, to: nil) }
    return definition.change(
      of: identifier, to: try definition.number(from: member.value, at: path))
  }
}

extension EntityDefinition {
  /// Returns the change of an entity's setting.
  ///
  /// - Parameter value: nil if the entity is to follow its group.
  func change(of identifier: String, to value: Int64?) -> SettingChange {
    SettingChange(path: symbol, value: value ?? SettingKind.unset, entity: identifier)
  }
}

extension SettingsSchema {
  /// Returns the documents of the entities' settings, by the paths of their groups. A setting that
  /// was removed is null.
  func entityDocuments(
    _ settings: [(path: Symbol, identifier: String, value: Int64)]
  ) -> [(path: String, document: JSONObject)] {
    entityGroups.compactMap { group in
      var entities = JSONObject()
      for definition in group.settings {
        for setting in settings where setting.path == definition.symbol {
          var entity = entities[setting.identifier]?.objectValue ?? JSONObject()
          entity[definition.name] = definition.value(of: setting.value)
          entities[setting.identifier] = .object(entity)
        }
      }
      return entities.isEmpty ? nil : (group.path, entities)
    }
  }
}
