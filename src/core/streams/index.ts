export { EventStream } from './event-stream.model.ts'
export { addListener, type Listener, dataMessage, type Message, textMessage } from './hub/client-stream.ts'
export type { StreamPublisher, Channel, Feed, Streams } from './hub/streams.service.ts'
