export { EventStream } from './event-stream.model.ts'
export type { Listener } from './hub/listener.ts'
export { dataMessage, type Message, textMessage } from './hub/message.ts'
export type { Board, Channel, Streams } from './hub/streams.service.ts'
