import { hash } from 'node:crypto'
import type { Core } from '../../../core/module.ts'
import { type Members, members } from '../../../core/platform/json-members.ts'
import type { ForgeApi } from '../imports/forge-api.ts'
import { ForgeError } from '../imports/forge-error.ts'
import { lineOf, countOf } from '../imports/sources/read.ts'
import type { Journal } from './journal.store.ts'
import type { Report } from './report.ts'
import type { TargetApi } from './target-api.ts'

/** The context of the steps of the import of a server. */
export interface ServerContext {
  readonly core: Pick<Core, 'clock' | 'database'>
  /** The address of the other server, without a slash at the end. */
  readonly from: string
  readonly token: string
  readonly source: ForgeApi
  readonly target: TargetApi
  readonly journal: Journal
  readonly report: Report
  readonly names: Names
  /** Ids of sign-in sources of this server by those of the other one. */
  readonly signInSources: ReadonlyMap<number, number>
  /** Whether a repository of the other server is imported. */
  isChosen(fullName: string): boolean
  readonly isDryRun: boolean
  /** Whether a second run compares reactions and reviews too. */
  readonly isThorough: boolean
  /** Stores a one-time password; undefined if accounts get none. */
  readonly writePassword: ((account: string, password: string) => void) | undefined
  readonly signal: AbortSignal
  readonly pollMs: number
}

/** One kind of objects of a server. */
export interface ServerStep {
  readonly name: string
  run(context: ServerContext): Promise<void>
}

/** Names on this server by those of the other one, in lower case. */
interface Names {
  readonly given: ReadonlyMap<string, string>
  /** Names of accounts and organizations that were imported. */
  readonly imported: Map<string, string>
  /** Names of accounts alone: the authors of what is imported. */
  readonly accounts: Map<string, string>
  /** Accounts that an earlier run has imported, and that the other server no longer has. */
  readonly missing: { readonly id: number; readonly name: string }[]
}

/** The name on this server; undefined if it was not imported. */
export const targetName = ({ names }: ServerContext, name: string): string | undefined =>
  names.imported.get(name.toLowerCase())

export const part = encodeURIComponent

/** All items of a list of the other server; empty where it does not have the list. */
export async function* sourceItems({ source, signal }: ServerContext, path: string): AsyncGenerator<Members> {
  for await (const page of source.pages(path, signal, ABSENT))
    for (const item of page) if (item !== null && typeof item === 'object') yield item as Members
}

export const sourceList = (context: ServerContext, path: string): Promise<Members[]> =>
  Array.fromAsync(sourceItems(context, path))

/** Like `sourceList`, but undefined if the other server does not have the list: then nothing is known of it. */
export async function knownList({ source, signal }: ListContext, path: string): Promise<Members[] | undefined> {
  try {
    return (await Array.fromAsync(source.pages(path, signal))).flat().map(members)
  } catch (error) {
    if (error instanceof ForgeError && ABSENT.includes(error.status)) return undefined
    throw error
  }
}

type ListContext = Pick<ServerContext, 'signal' | 'source'>

const ABSENT = [403, 404, 405]

export const pick = (from: Members, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(
    names.filter((name) => from[name] !== undefined && from[name] !== null).map((name) => [name, from[name]]),
  )

export interface SourceAccount {
  readonly id: number
  readonly login: string
  /** The name on this server. */
  readonly name: string
  readonly value: Members
}

/** The accounts or organizations of the other server that have been imported; in a dry run, all. */
export async function* sourceAccounts(
  context: ServerContext,
  kind: 'account' | 'organization',
): AsyncGenerator<SourceAccount> {
  for await (const value of sourceItems(context, kind === 'account' ? '/admin/users' : '/admin/orgs')) {
    const login = lineOf(value['login'] ?? value['username'] ?? value['name'])
    const name = context.isDryRun ? login : targetName(context, login)
    if (login !== '' && name !== undefined) yield { id: countOf(value['id']), login, name, value }
  }
}

/** Whether a list is empty and was so before: there is nothing to write. */
export const isStillEmpty = async (
  { journal }: ServerContext,
  { kind, id }: Pick<Unit, 'id' | 'kind'>,
  list: readonly unknown[],
): Promise<boolean> => list.length === 0 && (await journal.find({ kind, source_id: String(id) })) === undefined

interface Unit {
  readonly kind: string
  readonly id: number | string
  /** Its name on this server, or the name of the object to which it belongs. */
  readonly target: string
  /** The value that was read: an unchanged one is not written again. */
  readonly value: unknown
}

export const digest = (value: unknown): string => hash('sha256', JSON.stringify(value))

/** Writes an object unless the journal says that this server has it; omissions are tried again. */
export async function once(
  context: ServerContext,
  { kind, id, target, value }: Unit,
  write: () => Promise<void>,
): Promise<void> {
  const { journal, report, signal, isDryRun } = context
  signal.throwIfAborted()
  report.read(kind)
  if (isDryRun) return
  const source_id = String(id)
  const fingerprint = digest(value)
  const found = await journal.find({ kind, source_id })
  if (found?.state === 'done' && found.fingerprint === fingerprint) return
  const before = report.omissions.length
  await write()
  if (report.omissions.length > before) return
  await journal.put({ kind, source_id, target, fingerprint, state: 'done' })
  report.written(kind)
}

export interface Sending {
  readonly method: 'DELETE' | 'PATCH' | 'POST' | 'PUT'
  readonly path: string
  readonly body?: object
  readonly as?: string | undefined
  /** The object in the report, if this server refuses the request. */
  readonly what: string
}

/** False if this server refuses it, which the report says. */
export async function send(
  { target, report }: ServerContext,
  { method, path, body, as, what }: Sending,
): Promise<boolean> {
  const { status, message } = await target.send(method, path, body, as)
  if (status < 400) return true
  report.omit(`${what}: ${message}`)
  return false
}
