import ArgumentParser
import Delivery
import Sinks

/// What `--sink` may say: one sink for every channel.
enum SinkOption: ExpressibleByArgument {
  case journal
  case jsonLines(path: String)

  init?(argument: String) {
    if argument == "journal" {
      self = .journal
    } else if argument.hasPrefix("jsonl:"), argument != "jsonl:" {
      self = .jsonLines(path: String(argument.dropFirst("jsonl:".count)))
    } else {
      return nil
    }
  }

  var configuration: DeliveryConfiguration {
    switch self {
    case .journal: DeliveryConfiguration(single: JournalConfiguration())
    case .jsonLines(let path): DeliveryConfiguration(single: JSONLinesConfiguration(file: path))
    }
  }
}
