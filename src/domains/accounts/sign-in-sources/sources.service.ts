import type { Actor } from '../../../core/access/viewer.ts'
import { retryOnUniqueViolation, type Tx } from '../../../core/db/database.ts'
import type { SealedColumns } from '../../../core/db/sealed-columns.ts'
import { flag } from '../../../core/db/flag.ts'
import type { Core } from '../../../core/module.ts'
import { engineErrors, invalid, unavailable } from '../../../core/platform/errors.ts'
import { asId, type SignInSourceId } from '../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import { errors } from '../../errors.ts'
import {
  countAccountsOf,
  deleteSource,
  findSource,
  findSourceByName,
  insertSource,
  listActiveSources,
  listSources,
  lockSource,
  type SealedSource,
  updateSource,
} from './source.store.ts'
import type { KindRules } from './kind-rules.ts'
import { isSourceKind, type SettingsByKind, type SourceKind, sourceKinds } from './source-kind.ts'

/** A sign-in source with its settings, secrets included. */
export type SignInSource<Kind extends SourceKind = SourceKind> = {
  readonly [Each in Kind]: Omit<SealedSource, 'kind' | 'sealed'> & {
    readonly kind: Each
    readonly settings: SettingsByKind[Each]
  }
}[Kind]

interface NewSource {
  readonly kind: SourceKind
  readonly name: string
  readonly isActive?: boolean | undefined
  readonly settings: object
}

/** Absent members are unchanged, those of the settings too. */
export interface SourceEdit {
  readonly name?: string | undefined
  readonly isActive?: boolean | undefined
  readonly settings?: object | undefined
}

interface SourceDeps extends Pick<Core, 'database' | 'clock' | 'events' | 'secrets'> {
  /** Ids that belong to sources of the configuration. */
  readonly reservedIds: readonly number[]
}

export type SignInSources = ReturnType<typeof createSignInSources>

const contextOf = (id: number): string => `sign_in_source.settings:${id}`

export const sealedSourceColumns: SealedColumns = {
  table: 'sign_in_source',
  key: 'id',
  contexts: { settings: ({ id }) => contextOf(Number(id)) },
}

/** Administration of sign-in sources (docs/operate/sign-in.md). */
export function createSignInSources(deps: SourceDeps) {
  const { database, clock, events, secrets } = deps
  const { read } = database
  const append = async (
    tx: Tx,
    kind: 'sign_in_source.created' | 'sign_in_source.deleted',
    { actor, source }: { readonly actor: Actor; readonly source: Pick<SignInSource, 'id' | 'kind' | 'name'> },
  ): Promise<void> =>
    events.append(
      tx,
      kind,
      { actor, repoId: 0, at: clock.now() },
      { source_id: source.id, kind: source.kind, name: source.name },
    )
  const open = (source: SealedSource): SignInSource => openSource(deps, source)
  const get = async (id: SignInSourceId): Promise<SignInSource> => {
    const source = await findSource(read, id)
    if (source === undefined) throw errors.signInSourceNotFound()
    return open(source)
  }
  return {
    /** Throws NotFound. */
    get,
    /** Throws NotFound, and Invalid for a source that has no directory. */
    async getDirectory(id: SignInSourceId): Promise<SignInSource<'ldap'>> {
      const source = await get(id)
      if (source.kind !== 'ldap') throw invalid(`the sign-in source ${source.name} has no directory`)
      return source
    },
    /** Undefined also for a source of another kind. */
    async find<Kind extends SourceKind>(id: number, kind: Kind): Promise<SignInSource<Kind> | undefined> {
      const source = id > 0 ? await findSource(read, asId(id)) : undefined
      return source?.kind === kind ? (open(source) as SignInSource<Kind>) : undefined
    },
    /** The match ignores case. */
    async findByName(name: string): Promise<SignInSource | undefined> {
      const source = await findSourceByName(read, name)
      return source && open(source)
    },
    async list(paging: Paging): Promise<Page<SignInSource>> {
      const page = await listSources(read, paging)
      return { items: page.items.map(open), total: page.total }
    },
    exists: async (id: SignInSourceId): Promise<boolean> => (await findSource(read, id)) !== undefined,
    /** Active sources whose accounts are compared with a directory. */
    listSynchronized: async (tx: Tx): Promise<SignInSource[]> =>
      (await listActiveSources(tx)).map(open).filter(({ kind, settings }) => kind === 'ldap' && settings.synchronize),
    /** Active sources of a kind, ordered by id. */
    async listActive<Kind extends SourceKind>(kind: Kind): Promise<SignInSource<Kind>[]> {
      const sources = (await listActiveSources(read)).filter((source) => source.kind === kind)
      return sources.map((source) => open(source) as SignInSource<Kind>)
    },

    /** Throws Invalid for a setting that cannot be right, and conflict for a taken name. */
    async create(actor: Actor, { kind, name, isActive = true, settings }: NewSource): Promise<SignInSource> {
      const checked = { ...rulesOf(kind).defaults, ...settings }
      await rulesOf(kind).check(checked)
      return retryOnUniqueViolation(database, async (tx) => {
        await requireFreeName(tx, name)
        const now = clock.now()
        const id = await insertUnreserved(tx, deps.reservedIds, {
          kind,
          name,
          is_active: flag(isActive),
          created_at: now,
          updated_at: now,
        })
        await updateSource(tx, id, { settings: secrets.seal(JSON.stringify(checked), contextOf(id)) })
        await append(tx, 'sign_in_source.created', { actor, source: { id, kind, name } })
        return open((await findSource(tx, id))!)
      })
    },

    /** Throws NotFound, and as `create`. */
    async edit(actor: Actor, id: SignInSourceId, { name, isActive, settings }: SourceEdit): Promise<SignInSource> {
      const before = await get(id)
      if (settings !== undefined) await rulesOf(before.kind).check({ ...before.settings, ...settings })
      return retryOnUniqueViolation(database, async (tx) => {
        if (!(await lockSource(tx, id))) throw errors.signInSourceNotFound()
        const source = open((await findSource(tx, id))!)
        if (name !== undefined) await requireFreeName(tx, name, id)
        const changed = settings && { ...source.settings, ...settings }
        await updateSource(tx, id, {
          ...(name !== undefined && { name }),
          ...(isActive !== undefined && { is_active: flag(isActive) }),
          ...(changed && { settings: secrets.seal(JSON.stringify(changed), contextOf(id)) }),
          updated_at: clock.now(),
        })
        await events.append(
          tx,
          'sign_in_source.edited',
          { actor, repoId: 0, at: clock.now() },
          {
            source_id: id,
            kind: source.kind,
            name: name ?? source.name,
            changed: changedMembers({ name, isActive, settings }),
          },
        )
        return open((await findSource(tx, id))!)
      })
    },

    /** Throws NotFound, and conflict while accounts belong to the source. */
    delete: (actor: Actor, id: SignInSourceId): Promise<void> =>
      database.transaction(async (tx) => {
        if (!(await lockSource(tx, id))) throw errors.signInSourceNotFound()
        const { kind, name } = (await findSource(tx, id))!
        const accounts = await countAccountsOf(tx, id)
        if (accounts > 0) throw errors.signInSourceUsed(accounts)
        await deleteSource(tx, id)
        await append(tx, 'sign_in_source.deleted', { actor, source: { id, kind: kind as SourceKind, name } })
      }),
  }
}

const rulesOf = <Kind extends SourceKind>(kind: Kind): KindRules<SettingsByKind[Kind]> => sourceKinds[kind]

/** Throws unavailable when the settings were encrypted with another key of the server. */
function openSource({ secrets }: Pick<SourceDeps, 'secrets'>, { sealed, kind, ...source }: SealedSource): SignInSource {
  if (!isSourceKind(kind)) throw unavailable(`the sign-in source ${source.name} is of the unknown kind ${kind}`)
  try {
    const stored = JSON.parse(secrets.open(sealed, contextOf(source.id))) as object
    return { ...source, kind, settings: { ...rulesOf(kind).defaults, ...stored } } as SignInSource
  } catch (error) {
    throw unavailable(
      `the sign-in source ${source.name} cannot be used: the secret key of the server is not the one that encrypted it`,
    ).causedBy(error)
  }
}

async function requireFreeName(tx: Tx, name: string, except?: SignInSourceId): Promise<void> {
  if (name.trim() === '') throw engineErrors.fieldRequired('Name')
  const existing = await findSourceByName(tx, name)
  if (existing !== undefined && existing.id !== except) throw errors.signInSourceExists(name)
}

/** NOTE: ids count up, so that a loop ends after at most as many rounds as the configuration names sources. */
async function insertUnreserved(
  tx: Tx,
  reservedIds: readonly number[],
  values: Parameters<typeof insertSource>[1],
): Promise<SignInSourceId> {
  const id = await insertSource(tx, values)
  if (!reservedIds.includes(id)) return id
  await deleteSource(tx, id)
  return insertUnreserved(tx, reservedIds, values)
}

const changedMembers = ({ name, isActive, settings = {} }: SourceEdit): string[] => [
  ...(name === undefined ? [] : ['name']),
  ...(isActive === undefined ? [] : ['is_active']),
  ...Object.keys(settings),
]
