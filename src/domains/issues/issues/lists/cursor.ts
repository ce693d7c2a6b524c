import { Type } from '@sinclair/typebox'
import { NAME_LENGTH } from '../../../../core/http/body/limits.ts'
import { invalidField } from '../../../../core/platform/errors.ts'

/** Where an issue is in the order of creation. */
export interface Position {
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly id: number
}

export const cursorMember = Type.Optional(
  Type.String({
    maxLength: NAME_LENGTH,
    description: '`start` for the first part of the list, then X-Next-Cursor of the answer before; replaces page',
  }),
)

/** What the header X-Next-Cursor has behind this issue. */
export const presentCursor = ({ createdAt, id }: Position): string =>
  Buffer.from(`${createdAt}.${id}`).toString('base64url')

const START = 'start'
const FORM = /^(\d{1,15})\.(\d{1,15})$/

/** Undefined for the first part. Throws Invalid. */
export function readCursor(text: string): Position | undefined {
  if (text === START) return undefined
  const found = FORM.exec(Buffer.from(text, 'base64url').toString('latin1'))
  const position = found && { createdAt: Number(found[1]), id: Number(found[2]) }
  if (position === null || presentCursor(position) !== text)
    throw invalidField('cursor', 'not one that a list has answered')
  return position
}
