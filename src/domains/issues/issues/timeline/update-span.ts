import { Type } from '@sinclair/typebox'
import { Timestamp } from '../../../../core/http/answer/text.ts'
import { parseOptionalTimestamp } from '../../../../core/platform/timestamp.ts'

/**
 * A span of the time of the last update, inclusive, in whole seconds. Epoch milliseconds; undefined for no bound
 * (behaviour/issues#conventions).
 */
export interface UpdateSpan {
  readonly since: number | undefined
  readonly before: number | undefined
}

export const updateSpanMembers = {
  since: Type.Optional(Timestamp({ description: 'Updated at this time or later' })),
  before: Type.Optional(Timestamp({ description: 'Updated at this time or earlier' })),
}

interface SpanQuery {
  readonly since?: string | undefined
  readonly before?: string | undefined
}

export function readUpdateSpan({ since, before }: SpanQuery): UpdateSpan {
  return { since: parseOptionalTimestamp(since), before: parseOptionalTimestamp(before) }
}
