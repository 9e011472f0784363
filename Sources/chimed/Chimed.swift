import ArgumentParser
import Glibc

/// The service and what an operator runs beside it.
@main
struct Chimed: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "chimed",
    abstract: "Decides when and whether each person is reminded, and hands over what is due.",
    subcommands: [ServeCommand.self, SimulateCommand.self])

  static func main() {
    ServiceSignals.hold()
    Task(executorPreference: EventLoopExecutor()) {
      await main(nil)
      exit()
    }
    // Not libdispatch's way to wait, which would let the signals through.
    while true { pause() }
  }
}
