import { Type } from '@sinclair/typebox'

/** An answer that does not end: server-sent events. */
export const EventStream = Type.String({ contentMediaType: 'text/event-stream' })
