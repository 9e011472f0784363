// Reports events of a recipient, shows the effects of a change of preferences, and follows the
// stream.
//
//     export CHIMED_TOKEN=...        # from "chimectl token create"
//     swift run swift-client http://127.0.0.1:7411 u3
import ChimedClient
import Foundation

let arguments = CommandLine.arguments
guard arguments.count == 3, let token = ProcessInfo.processInfo.environment["CHIMED_TOKEN"] else {
  print("usage: CHIMED_TOKEN=TOKEN swift-client URL RECIPIENT")
  exit(64)
}
let recipient = arguments[2]

do {
  let chimed = try ChimedClient(arguments[1], token: token)

  // Events. After a temporary failure they are sent again, with the same ids.
  let receipts = try await chimed.send([
    ChimedEvent("recipient.updated", of: recipient, data: ["timezone": "Europe/Berlin"]),
    ChimedEvent("lesson.completed", of: recipient, data: ["day": 1]),
  ])
  print("accepted", receipts.count { $0 == .accepted })

  // A device for push notifications.
  let device = ChimedDevice(id: "phone", apnsToken: [0x0a, 0x1b, 0x2c])
  print("device", try await chimed.register(device, of: recipient))

  // The effects of a change without making it; then another change, of the version just read.
  let quiet = ChimedSettingChange.set(.quietHoursEnabled, to: true)
  for change in try await chimed.preview([quiet], of: recipient).changes {
    print("would be", change.kind, change.title)
  }
  let preferences = try await chimed.preferences(of: recipient)
  let hidden = ChimedSettingChange.set(.preview, to: "never")
  let effects = try await chimed.change([hidden], of: recipient, ifVersion: preferences.version)
  print("preferences", effects.version)

  // Notifications for UNUserNotificationCenter.
  for notification in try await chimed.localNotifications(of: recipient, limit: 2) {
    print("local", notification.id, notification.date, notification.title)
  }

  // Notifications as they are sent. An app stores each position, and later continues after it.
  stream: for try await event in chimed.stream(of: recipient) {
    switch event.content {
    case .connected:
      try await chimed.send(
        ChimedEvent(
          "notification.requested", of: recipient,
          data: ["category": "LESSON", "title": "Hello from Swift", "body": "A word to you."]))
    case .notification(let delivery):
      print("notification", delivery.title)
      break stream
    case .withdrawn(let withdrawal):
      print("withdrawn", withdrawal.id)
    case .state, .missed: break
    }
  }
} catch {
  print(error)  // the fault, and what to do
  exit(1)
}
