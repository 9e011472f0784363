import JSON

/// Reads the data of `preset.applied`: the preset's name, for which its switches are written.
struct PresetReader {
  let catalog: Catalog

  func changes(_ object: JSONObject) throws(Refusal) -> [SettingChange] {
    let name = OwnShape.preset
    for member in object where member.key != name {
      throw Refusal(
        path: "data.\(member.key)", "is not known; preset.applied carries data.\(name)")
    }
    guard let value = object[name] else { throw Refusal(path: "data.\(name)", "is missing") }
    guard let preset = try catalog.preset(value, at: "data.\(name)") else {
      throw Refusal(
        path: "data.\(name)",
        "is \"custom\", whose switches only the service knows; write them as preferences.updated")
    }
    return preset.changes(in: catalog.settings)
  }
}
