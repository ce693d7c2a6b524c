import { Type } from '@sinclair/typebox'
import { Timestamp } from '../../../core/http/answer/text.ts'
import { NAME_LENGTH } from '../../../core/http/body/limits.ts'
import { pagingMembers } from '../../../core/http/openapi/paging-members.ts'
import { parseOptionalTimestamp } from '../../../core/platform/timestamp.ts'

const spanMembers = {
  since: Type.Optional(Timestamp({ description: 'Created at this time or later' })),
  before: Type.Optional(Timestamp({ description: 'Created at this time or earlier' })),
}

export const spanQuery = Type.Object({ ...pagingMembers, ...spanMembers })

export const timesQuery = Type.Object({
  ...pagingMembers,
  ...spanMembers,
  user: Type.Optional(Type.String({ maxLength: NAME_LENGTH, description: 'Login name; for writers' })),
})

interface SpanTexts {
  readonly since?: string | undefined
  readonly before?: string | undefined
}

/** The bounds as epoch milliseconds; undefined for none. */
export const readSpan = ({ since, before }: SpanTexts) => ({
  since: parseOptionalTimestamp(since),
  before: parseOptionalTimestamp(before),
})
