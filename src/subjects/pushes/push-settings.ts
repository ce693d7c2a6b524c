/**
 * What a push changes of its repository besides the refs, by `-o repo.private=true` and its like (reference git-data
 * §13).
 */
export interface PushSettings {
  readonly private?: boolean
  readonly template?: boolean
}

/** Of git's own words for a boolean those that servers know. */
const WORDS = new Map([
  ['true', true],
  ['t', true],
  ['1', true],
  ['false', false],
  ['f', false],
  ['0', false],
])
const OPTION = /^repo\.(private|template)(?:=(.*))?$/s

/** Undefined when the options name no setting; a value that is no boolean sets nothing. */
export function readPushSettings(options: readonly string[]): PushSettings | undefined {
  const named = options.map((option) => OPTION.exec(option)).filter((match) => match !== null)
  if (named.length === 0) return undefined
  const read = named.map(([, name, value = 'true']) => [name, WORDS.get(value.toLowerCase())] as const)
  return Object.fromEntries(read.filter(([, value]) => value !== undefined)) as PushSettings
}

export const SETTINGS_REFUSED = 'options validation failed: permission denied for changing repo settings'
