/// The details of a notification with actions.
enum ActionSample {
  /// - Parameter count: the number of actions, `a1` to `a9`.
  static func details(count: Int) -> String {
    let actions = (1...count).map {
      #"{"id":"a\#($0)","title":"A\#($0)","url":"https://x.org/a/\#($0)"}"#
    }
    return #"{"actions":["# + actions.joined(separator: ",") + "]}"
  }
}
