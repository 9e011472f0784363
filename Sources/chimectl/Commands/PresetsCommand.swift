import API
import ArgumentParser
import JSON
import NIOHTTP1

/// Lists a recipient's presets, applies one, or saves a custom one.
struct PresetsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "presets",
    abstract: "List a recipient's presets, apply one, or save the switches as a custom one.",
    discussion: """
      chimectl preferences presets u1
      chimectl preferences presets u1 --apply minimal --dry-run
      chimectl preferences presets u1 --save
      """)

  @Argument(help: "The recipient's id.", completion: Completions.recipients)
  var recipient: String

  @Option(
    help: ArgumentHelp("Set the switches to this preset.", valueName: "preset"),
    completion: Completions.presets)
  var apply: String?

  @Flag(help: "Save the current switches as the preset \"custom\".")
  var save = false

  @Flag(help: "Delete the preset \"custom\".")
  var forget = false

  @OptionGroup var layout: LayoutOptions

  @OptionGroup var change: ChangeOptions

  func validate() throws {
    guard [apply != nil, save, forget].count(where: { $0 }) <= 1 else {
      throw ValidationError("Give at most one of --apply, --save and --forget.")
    }
  }

  func run() async throws {
    let path = PreferencesCommand.path(of: recipient) + "/presets"
    try await reporting(layout) {
      if let apply {
        try await change.carryOut(.POST, "\(path)/\(ServiceClient.segment(apply))/apply")
      } else if save {
        try await change.carryOut(.PUT, path + "/custom")
      } else if forget {
        try await change.carryOut(.DELETE, path + "/custom")
      } else {
        try await change.options.show({ try await $0.document(path) }, as: Self.text)
      }
    }
  }

  /// Returns a line for each preset; the current preset is marked.
  static func text(_ answer: JSONValue) throws(CommandError) -> String {
    let answer = Answer<PresetsPayload>(answer)
    let current = try answer.current
    var table = Table()
    var isListed = false
    for preset in try answer.presets {
      let name = try preset.name
      isListed = isListed || name == current
      let switches = Self.switches(.object(try preset.switches))
      table.add([
        name == current ? "*" : "", name,
        "\(switches.count { $0 }) of \(switches.count) switches on",
        try preset.own ? "saved" : "",
      ])
    }
    guard !isListed else { return table.text }
    return table.text
      + "The switches match no preset (the service reports them as \"\(current)\").\n"
  }

  private static func switches(_ value: JSONValue) -> [Bool] {
    if let isOn = value.boolValue { return [isOn] }
    var switches: [Bool] = []
    for member in value.objectValue?.members ?? [] { switches += Self.switches(member.value) }
    return switches
  }
}
