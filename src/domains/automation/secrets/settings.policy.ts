import { badRequest, invalid } from '../../../core/platform/errors.ts'

/** Bytes of a secret, characters of a variable. */
export const MAX_VALUE_LENGTH = 65_536
const MAX_DESCRIPTION_LENGTH = 4096
const MAX_NAME_LENGTH = 255
/** Secrets of one owner, and variables of one owner. NOTE: a job gets all of them at once. */
const MAX_ITEMS = 500

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/
/** What the server and runners set themselves. */
const RESERVED = /^(?:(?:GITEA|GITHUB|FORGEJO|INGOT)_|CI$)/

/** The name as it is stored, in upper case; undefined for what is no name (behaviour/actions#secrets). */
export function readName(text: string): string | undefined {
  if (text.length > MAX_NAME_LENGTH || !NAME.test(text)) return undefined
  const name = text.toUpperCase()
  return RESERVED.test(name) ? undefined : name
}

/** Throws BadRequest for what is no name. */
export function requireName(text: string): string {
  const name = readName(text)
  if (name === undefined) throw badRequest('invalid variable or secret name')
  return name
}

/** A longer description loses its end. */
export const readDescription = (text: string): string => [...text].slice(0, MAX_DESCRIPTION_LENGTH).join('')

/** Throws Invalid when an owner with this many secrets or variables gets no further one. */
export function requireRoom(kind: 'secrets' | 'variables', present: number): void {
  if (present >= MAX_ITEMS) throw invalid(`there are ${MAX_ITEMS} ${kind} already: delete one first`)
}
