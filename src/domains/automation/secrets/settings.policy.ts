import { badRequest, invalid } from '../../../core/platform/errors.ts'

/** Maximum bytes of a secret, and characters of a variable. */
export const MAX_VALUE_LENGTH = 65_536
const MAX_DESCRIPTION_LENGTH = 4096
const MAX_NAME_LENGTH = 255
/** The maximum number of secrets, and of variables, of one owner. NOTE: a job gets all of them at once. */
const MAX_ITEMS = 500

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/
/** Names that the server and runners set themselves. */
const RESERVED = /^(?:(?:GITEA|GITHUB|FORGEJO|INGOT)_|CI$)/

/** The name in upper case, as stored; undefined for an invalid name (behaviour/actions#secrets). */
export function readName(text: string): string | undefined {
  if (text.length > MAX_NAME_LENGTH || !NAME.test(text)) return undefined
  const name = text.toUpperCase()
  return RESERVED.test(name) ? undefined : name
}

/** Throws BadRequest for an invalid name. */
export function requireName(text: string): string {
  const name = readName(text)
  if (name === undefined) throw badRequest('invalid variable or secret name')
  return name
}

/** Truncates a description to its maximum length. */
export const readDescription = (text: string): string => [...text].slice(0, MAX_DESCRIPTION_LENGTH).join('')

/** Throws Invalid when an owner with this many secrets or variables cannot add another. */
export function requireRoom(kind: 'secrets' | 'variables', present: number): void {
  if (present >= MAX_ITEMS) throw invalid(`there are ${MAX_ITEMS} ${kind} already: delete one first`)
}
