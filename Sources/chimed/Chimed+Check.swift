import ArgumentParser
import Foundation

extension Chimed {
  private static let checkOption = "--check-config"

  /// The arguments of `serve` if they are to be checked and not obeyed.
  static func argumentsToCheck(_ arguments: [String]) -> [String]? {
    guard arguments.first == checkOption || arguments.first == ServeCommand.name else { return nil }
    let options = arguments.prefix { $0 != "--" }
    guard options.contains(checkOption) else { return nil }
    let kept = arguments.filter { $0 != checkOption }
    return kept.first == ServeCommand.name ? kept : [ServeCommand.name] + kept
  }

  /// Says what is wrong with a configuration, all of it.
  ///
  /// - Returns: the exit code: 0, or 78 if anything is wrong (sysexits(3)).
  static func check(_ arguments: [String]) -> Int32 {
    do {
      guard let command = try parseAsRoot(arguments) as? ServeCommand else { return 78 }
      return report(ConfigurationCheck(command))
    } catch {
      guard exitCode(for: error) != .success else {
        print(fullMessage(for: error))
        return 0
      }
      return reject([fullMessage(for: error)])
    }
  }

  private static func report(_ check: ConfigurationCheck) -> Int32 {
    guard check.problems.isEmpty else { return reject(check.problems) }
    for part in check.unchecked { print("not checked: \(part)") }
    print("the configuration is sound")
    return 0
  }

  private static func reject(_ problems: [String]) -> Int32 {
    let text = problems.map { $0 + "\n" }.joined()
    FileHandle.standardError.write(Data(text.utf8))
    return 78
  }
}
