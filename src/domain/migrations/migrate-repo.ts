import { findRepoById, findRepoByName, insertRepo, type Repo } from '../../db/stores/repo.store.ts'
import { insertMirror } from '../../db/stores/mirror.store.ts'
import { upsertBranches } from '../../db/stores/push.store.ts'
import type { User } from '../../db/stores/user.store.ts'
import type { Database, Tx } from '../../db/database.ts'
import { flag } from '../../db/tables/flag.ts'
import { appendEvent } from '../../events/index.ts'
import { RemoteError, type Git, type RemoteCredentials } from '../../git/index.ts'
import { enqueue } from '../../jobs/index.ts'
import type { Clock } from '../../platform/clock.ts'
import { forbidden, invalid } from '../../platform/errors.ts'
import type { RepoId } from '../../platform/ids.ts'
import type { Logger } from '../../platform/logger.ts'
import { isOutgoingError } from '../../platform/outgoing/index.ts'
import { firstDefaultBranch } from '../../policy/push-rules.ts'
import { DEFAULT_UNITS } from '../../policy/units.ts'
import { isSiteAdmin, type SignedIn } from '../../policy/viewer.ts'
import { parseRemoteAddress, readMirrorInterval, wikiAddress, type FoundRemote, type RemoteAccess } from '../mirrors/index.ts'
import { limitReached, newStorageKey, repoNameTaken, requireRepoName, tieCreator, type RepoRules } from '../repos/index.ts'
import { forgeOf, requireParts, type MetadataPart } from './remote-forge.ts'

export interface NewMigration {
  readonly address: string
  readonly name: string
  readonly service?: string | undefined
  readonly username?: string | undefined
  readonly password?: string | undefined
  readonly token?: string | undefined
  readonly description?: string | undefined
  readonly isPrivate?: boolean | undefined
  /** Follow the source from now on. */
  readonly isMirror?: boolean | undefined
  /** Duration text; the server's default when empty. */
  readonly mirrorInterval?: string | undefined
  readonly wiki?: boolean | undefined
  readonly parts: ReadonlySet<MetadataPart>
}

export interface MigrationSettings {
  readonly disabled: boolean
  /** New pull mirrors are allowed. */
  readonly mirrorsEnabled: boolean
  /** Milliseconds. */
  readonly defaultInterval: number
  readonly minInterval: number
}

export interface MigrateDeps {
  readonly database: Database
  readonly git: Git
  readonly clock: Clock
  readonly log: Logger
  readonly access: RemoteAccess
  readonly rules: RepoRules
  readonly settings: MigrationSettings
}

interface Source {
  readonly url: string
  readonly credentials: RemoteCredentials | undefined
  /** Milliseconds; undefined when the repository will not be a mirror. */
  readonly interval: number | undefined
}

export interface Migrating {
  readonly viewer: SignedIn
  /** Of the new repository; that the viewer may make it has been asked before. */
  readonly owner: User
  readonly signal: AbortSignal
}

/**
 * Takes a repository over: the git data is fetched beside everything else and put into place when complete, then one
 * transaction makes the repository. Whatever goes wrong, and whenever the process dies, nothing of it is left to see.
 * Throws invalid (the texts of reference repositories §15), forbidden, conflict (the name is taken).
 */
export async function migrateRepo(deps: MigrateDeps, { viewer, owner, signal }: Migrating, input: NewMigration): Promise<Repo> {
  const source = readSource(deps, input)
  requireRepoName(input.name, 'RepoName')
  await requireRoom(deps, viewer, owner)
  if (await findRepoByName(deps.database.read, owner, input.name)) throw repoNameTaken()
  const storage = newStorageKey()
  try {
    const imported = await fetchAll(deps, source, { storage, signal, wiki: input.wiki ?? false })
    const id = await deps.database.transaction((tx) => insertRows(tx, deps, { viewer, owner, input, source, storage, imported }))
    return (await findRepoById(deps.database.read, id))!
  } catch (error) {
    await deps.git.removeRepo(storage)
    await deps.git.removeRepo(`${storage}.wiki`)
    throw explained(deps, error)
  }
}

function readSource({ settings }: MigrateDeps, input: NewMigration): Source {
  if (settings.disabled) throw forbidden('the site administrator has disabled migrations')
  if (input.isMirror && !settings.mirrorsEnabled) throw forbidden('the site administrator has disabled the creation of new pull mirrors')
  const address = parseRemoteAddress(input.address)
  if (address.kind === 'local') throw invalid('You are not allowed to import local repositories.')
  if (!['http', 'https', 'git'].includes(address.scheme)) throw invalid(`migration/cloning from '${address.host}' is not allowed: the provided url protocol is not allowed`)
  const forge = forgeOf(input.service)
  if (!input.isMirror) requireParts(forge, input.parts)
  const { username = '', password = '', token = '' } = input
  const given = username !== '' || password !== '' ? { username, password } : token === '' ? undefined : forge.tokenCredentials(token)
  return { url: address.url, credentials: given ?? address.credentials, interval: input.isMirror ? readInterval(settings, input.mirrorInterval) : undefined }
}

function readInterval({ defaultInterval, minInterval }: MigrationSettings, text = ''): number {
  if (text === '') return defaultInterval
  const interval = readMirrorInterval(text, minInterval)
  if (typeof interval !== 'number') throw invalid(interval.message)
  return interval
}

async function requireRoom({ database, rules }: MigrateDeps, viewer: SignedIn, owner: User): Promise<void> {
  if (isSiteAdmin(viewer) || (await limitReached(database.read, owner, rules.maxCreation)) === undefined) return
  throw invalid(`You have already reached your limit of ${owner.maxRepoCreation >= 0 ? owner.maxRepoCreation : rules.maxCreation} repositories.`)
}

interface Imported {
  readonly defaultBranch: string
  readonly remoteHead: string
  readonly objectFormat: 'sha1' | 'sha256'
  readonly branches: readonly { readonly name: string; readonly oid: string }[]
  /** The branch of the wiki, when there is one. */
  readonly wikiBranch: string | undefined
  /** Bytes. */
  readonly size: number
}

const BRANCHES = 'refs/heads/'

async function fetchAll(deps: MigrateDeps, source: Source, { storage, signal, wiki }: { storage: string; signal: AbortSignal; wiki: boolean }): Promise<Imported> {
  const { git, access, rules } = deps
  const { remote, found } = await access.look(source.url, source.credentials, signal)
  const defaultBranch = chooseBranch(found, rules.defaultBranch)
  await git.remotes.import(remote, found, { ...access.transfer(signal), storage, defaultBranch })
  const wikiBranch = wiki ? await fetchWiki(deps, source, { storage: `${storage}.wiki`, signal, objectFormat: found.objectFormat }) : undefined
  const snapshot = await git.open({ storage, objectFormat: found.objectFormat }).refs.snapshot()
  const branches = snapshot.list(BRANCHES).map(({ name, oid }) => ({ name: name.slice(BRANCHES.length), oid }))
  const { bytes } = await git.measureRepo(storage)
  return { defaultBranch, remoteHead: found.head ?? '', objectFormat: found.objectFormat, branches, wikiBranch, size: bytes }
}

/** A source without a wiki answers in many ways: none of them is a failure. */
async function fetchWiki({ git, access, rules, log }: MigrateDeps, source: Source, { storage, signal, objectFormat }: { storage: string; signal: AbortSignal; objectFormat: string }): Promise<string | undefined> {
  try {
    const { remote, found } = await access.look(wikiAddress(source.url), source.credentials, signal)
    if (found.refs.size === 0 || found.objectFormat !== objectFormat) return undefined
    const branch = chooseBranch(found, rules.defaultBranch)
    await git.remotes.import(remote, found, { ...access.transfer(signal), storage, defaultBranch: branch })
    return branch
  } catch (error) {
    if (!(error instanceof RemoteError) && !isOutgoingError(error)) throw error
    log.info({ problem: error.message }, 'no wiki imported')
    return undefined
  }
}

function chooseBranch(found: FoundRemote['found'], fallback: string): string {
  const branches = [...found.refs.keys()].filter((name) => name.startsWith(BRANCHES)).map((name) => name.slice(BRANCHES.length))
  return firstDefaultBranch(branches, found.head ?? fallback) ?? found.head ?? fallback
}

interface Insertion {
  readonly viewer: SignedIn
  readonly owner: User
  readonly input: NewMigration
  readonly source: Source
  readonly storage: string
  readonly imported: Imported
}

async function insertRows(tx: Tx, { clock, rules, access }: MigrateDeps, { viewer, owner, input, source, storage, imported }: Insertion): Promise<RepoId> {
  const at = clock.now()
  const isMirror = source.interval !== undefined
  const id = await insertRepo(tx, {
    owner_id: owner.id,
    name: input.name,
    lower_name: input.name.toLowerCase(),
    description: input.description ?? '',
    default_branch: imported.defaultBranch,
    wiki_branch: imported.wikiBranch ?? rules.defaultBranch,
    object_format: imported.objectFormat,
    storage,
    is_private: flag(rules.forcePrivate || (input.isPrivate ?? false)),
    is_mirror: flag(isMirror),
    original_url: source.url,
    units: isMirror ? DEFAULT_UNITS.mirror : DEFAULT_UNITS.normal,
    git_size: imported.size,
    watchers_count: rules.autoWatch ? 1 : 0,
    is_empty: flag(imported.branches.length === 0),
    branches_count: imported.branches.length,
    pushed_at: imported.branches.length === 0 ? 0 : at,
    created_at: at,
    updated_at: at,
  })
  await upsertBranches(tx, { repoId: id, pusherId: viewer.account.id, at }, imported.branches)
  if (source.interval !== undefined) {
    await insertMirror(tx, {
      repo_id: id,
      interval: source.interval,
      synced_at: at,
      next_sync_at: source.interval === 0 ? 0 : at + source.interval,
      remote_url: source.url,
      credentials: access.seal(source.credentials),
      remote_head: imported.remoteHead,
      has_wiki: flag(imported.wikiBranch !== undefined),
    })
  }
  await tieCreator(tx, { id, viewer, owner, at, watch: rules.autoWatch })
  await appendEvent(tx, 'repo.created', { actorId: viewer.account.id, repoId: id, at }, { repo_id: id, name: input.name })
  await enqueue(tx, 'repo.maintain', { repo_id: id }, { now: at, key: String(id) })
  return id
}

function explained({ database }: MigrateDeps, error: unknown): unknown {
  if (database.dialect.isUniqueViolation(error)) return repoNameTaken()
  if (isOutgoingError(error)) return invalid(error.kind === 'refused' ? 'You can not import from disallowed hosts.' : `Migration failed: ${error.message}.`)
  if (!(error instanceof RemoteError)) return error
  if (error.kind === 'auth' || error.kind === 'missing') return invalid(`Authentication failed: ${error.message}.`)
  if (error.kind === 'busy') return invalid('Remote visit addressed rate limitation.')
  return invalid(`Migration failed: ${error.message}.`)
}
