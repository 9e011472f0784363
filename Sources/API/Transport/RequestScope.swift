import Hummingbird
import Logging
import NIOCore

/// What belongs to a request beside the request itself.
struct RequestScope: InitializableFromSource {
  let logger: Logger
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    logger = source.logger
    channel = source.channel
  }
}
