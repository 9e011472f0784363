import ArgumentParser

/// How tables are laid out on a terminal.
struct LayoutOptions: ParsableArguments {
  @Flag(help: "Keep each row on one line, however narrow the terminal is.")
  var full = false
}
