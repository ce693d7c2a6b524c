import type { Clock } from '../../../../../core/platform/clock.ts'
import { members, type Members } from '../../../../../core/platform/json-members.ts'
import { ForgeError } from '../../forge-error.ts'
import type { SourceDeps, SourceLocation } from '../../source-location.ts'
import type { SourceUser } from '../../source.ts'
import { splitPath } from '../location.ts'
import { GHOST, lineOf, membersOf } from '../read.ts'
import { type CodecommitApi, createCodecommitApi } from './codecommit-api.ts'

/** A repository of AWS CodeCommit. */
export interface Codecommit {
  readonly api: CodecommitApi
  readonly name: string
  readonly clock: Clock
  warn(text: string): void
}

const HOST = /^git-codecommit(?:-fips)?\.([a-z0-9-]{1,50})\.(amazonaws\.com(?:\.cn)?)$/
const MAX_EVENTS = 10_000
/** Seconds. */
const MAX_TIME = 253_370_764_800

/** The keys are sent to AWS alone. Throws ForgeError for another address, and without keys. */
export function openRepo(deps: SourceDeps, location: SourceLocation): Codecommit {
  const { hostname } = new URL(location.url)
  const [, region = 'us-east-1', domain] = HOST.exec(hostname) ?? []
  const base = deps.apis?.codecommit ?? (domain === undefined ? undefined : `https://codecommit.${region}.${domain}`)
  if (base === undefined)
    throw new ForgeError('failed', `${hostname} is no host of CodeCommit (git-codecommit.REGION.amazonaws.com)`)
  if (location.awsKeys === undefined)
    throw new ForgeError('auth', 'the API of CodeCommit needs aws_access_key_id and aws_secret_access_key')
  const api = createCodecommitApi(deps, { base, region, keys: location.awsKeys })
  return { api, name: splitPath(location).name, clock: deps.patience.clock, warn: location.warn }
}

/** Seconds since 1970 with a fraction. */
export const timeOf = (value: unknown): number | undefined =>
  typeof value === 'number' && value > 0 && value < MAX_TIME ? Math.round(value * 1000) : undefined

/** The name at the end of an ARN, such as `arn:aws:iam::123456789012:user/ann`. */
export function userOf(arn: unknown): SourceUser {
  const login = lineOf(arn).split(/[:/]/).at(-1)!
  return login === '' ? GHOST : { id: 0, login, email: '' }
}

export async function eventsOf({ api }: Codecommit, number: number, signal: AbortSignal): Promise<readonly Members[]> {
  const events: Members[] = []
  for await (const page of api.pages('DescribePullRequestEvents', { pullRequestId: String(number) }, signal)) {
    events.push(...membersOf(page['pullRequestEvents']))
    if (events.length >= MAX_EVENTS) break
  }
  return events.toSorted((one, other) => (timeOf(one['eventDate']) ?? 0) - (timeOf(other['eventDate']) ?? 0))
}

/** The data of a merge event; undefined for others. */
export function mergeOf(event: Members): Members | undefined {
  const merge = members(members(event['pullRequestMergedStateChangedEventMetadata'])['mergeMetadata'])
  return merge['isMerged'] === true ? merge : undefined
}
