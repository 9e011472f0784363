package import CivilTime
import JSON

extension PlanningContext {
  /// What was said, with its flags as the person has switched them since (rule N1).
  ///
  /// - Parameter told: when it was said.
  package func upToDate(_ message: Message, told: Instant) -> Message {
    guard let link = catalog.reminder(Symbol(message.reminder))?.link,
      link.flags.contains(where: { $0.switches != nil }),
      var details = (try? JSONParser.parse(message.details))?.objectValue,
      let actor = details["actor"]?["id"]?.stringValue
    else { return message }
    for flag in link.flags {
      guard let isOn = isOn(flag, of: actor, since: told) else { continue }
      details[flag.name] = .bool(isOn)
    }
    return message.with(
      details: String(decoding: JSONWriter.canonical(.object(details)), as: UTF8.self))
  }

  /// Nil where nothing has switched it since.
  private func isOn(_ flag: Link.Flag, of actor: String, since told: Instant) -> Bool? {
    guard let switches = flag.switches else { return nil }
    let (set, clear) = (
      facts.item(switches.set, actor)?.stamp, facts.item(switches.clear, actor)?.stamp
    )
    guard let last = [set, clear].compactMap(\.self).max(), last.time >= told else { return nil }
    return last == set
  }
}
