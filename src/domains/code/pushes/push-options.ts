const BASE64 = '{base64}'

/** The value of `-o name=value`, the last one given; `{base64}…` stands for its bytes as UTF-8 text. */
export function pushOption(options: readonly string[], name: string): string | undefined {
  const value = options.findLast((option) => option.startsWith(`${name}=`))?.slice(name.length + 1)
  return value?.startsWith(BASE64) ? Buffer.from(value.slice(BASE64.length), 'base64').toString('utf8') : value
}

/** True for `-o name` and `-o name=true`. */
export function pushFlag(options: readonly string[], name: string): boolean {
  return pushOption(options, name) === 'true' || options.includes(name)
}

/**
 * The repository settings that push options change, as `-o repo.private=true` does
 * (behaviour/git-data-and-transport#push-rules).
 */
export interface PushSettings {
  readonly private?: boolean
  readonly template?: boolean
}

/** Of the words that git reads as a boolean, those that other servers accept too. */
const BOOLEANS = new Map([
  ['true', true],
  ['t', true],
  ['1', true],
  ['false', false],
  ['f', false],
  ['0', false],
])
const SETTING = /^repo\.(private|template)(?:=(.*))?$/s

/** Undefined when the options name no setting. A value that is no boolean changes nothing. */
export function readPushSettings(options: readonly string[]): PushSettings | undefined {
  const named = options.map((option) => SETTING.exec(option)).filter((match) => match !== null)
  if (named.length === 0) return undefined
  const read = named.map(([, name, value = 'true']) => [name, BOOLEANS.get(value.toLowerCase())] as const)
  return Object.fromEntries(read.filter(([, value]) => value !== undefined)) as PushSettings
}
