import { afterAll, beforeAll, expect } from 'vitest'
import { asId, type UserId } from '../../src/core/platform/crypto/ids.ts'
import type { ImportPhase, ImportStep, PhaseContext } from '../../src/domains/migration/imports/phase.ts'
import type { Source, SourceUser } from '../../src/domains/migration/imports/source.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import { type Person, viewerOf } from '../harness/world.ts'
import { migrate } from './import-world.ts'
import { startUpstream, type Upstream } from './upstream.ts'

/** A server to import to, and another git server; the API of the source is a value. */
export interface PhaseWorld {
  readonly server: TestServer
  readonly upstream: Upstream
  /** Imports. */
  readonly ann: Person
  /** Has an account here. */
  readonly bob: Person
}

/** The members exist while the tests of the describe block run. */
export function phaseWorld(kind: 'sqlite' | 'postgres'): PhaseWorld {
  const given = {} as PhaseWorld
  beforeAll(async () => {
    const server = await startServer({ on: kind, settings: { 'release.file_max_size': '1' } })
    Object.assign(given, {
      server,
      upstream: await startUpstream(),
      ann: await server.world.user('ann'),
      bob: await server.world.user('bob'),
    } satisfies PhaseWorld)
  })
  afterAll(async () => {
    await given.server.close()
    await given.upstream.close()
  })
  return given
}

export const NOBODY: SourceUser = { id: -1, login: 'Ghost', email: '' }
export const sourceUser = (login: string, id: number): SourceUser => ({ login, id, email: '' })

/** A list in pages of this size. */
export async function* pagesOf<T>(items: readonly T[], size = 2): AsyncGenerator<readonly T[], void, undefined> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}

/** A source without data but for the given members. */
export const sourceWith = (members: Partial<Source>): Source =>
  ({
    facts: () => Promise.reject(new Error('no facts')),
    labels: () => pagesOf([]),
    milestones: () => pagesOf([]),
    issues: () => pagesOf([]),
    pulls: () => pagesOf([]),
    comments: () => pagesOf([]),
    events: () => pagesOf([]),
    reviews: () => pagesOf([]),
    trackedTimes: () => pagesOf([]),
    dependencies: () => pagesOf([]),
    releases: () => pagesOf([]),
    protections: () => Promise.resolve({ branches: [], tags: [] }),
    counts: () => Promise.resolve({}),
    download: () => Promise.reject(new Error('no files')),
    filesIn: () => [],
    rewriteReferences: (text: string) => text,
    ...members,
  }) as Source

/** The dependencies of all phases. */
export const phaseDeps = ({ server: { app } }: PhaseWorld) => ({
  ...app,
  access: app.remoteAccess,
  issueRules: app.uploadRules.issues,
  reactions: new Set(['+1', 'heart']),
  draftPrefixes: ['WIP:'],
})

export interface PhaseRun {
  readonly context: PhaseContext
  readonly warnings: string[]
  /** Cursors of the committed steps. */
  readonly cursors: string[]
  run(phase: ImportPhase, options?: { readonly from?: string; readonly steps?: number }): Promise<void>
}

interface RunOptions {
  readonly source: Source
  /** Name of the repository at the upstream and here. */
  readonly name: string
  /** Accounts by login at the source. */
  readonly mapped?: Readonly<Record<string, Person>>
}

/** Imports the git data of a repository of the upstream; the phases are run by the test. */
export async function beginImport(given: PhaseWorld, { source, name, mapped = {} }: RunOptions): Promise<PhaseRun> {
  const { server, upstream, ann } = given
  const url = `${upstream.url}/${name}.git`
  const made = await migrate(ann, { clone_addr: url, repo_name: name })
  expect(made.status, JSON.stringify(made.json)).toBe(201)
  const { database, git, attachments } = server.app
  const row = await database.read
    .selectFrom('repo')
    .select(['id', 'storage', 'object_format'])
    .where('id', '=', made.json.id)
    .executeTakeFirstOrThrow()
  const warnings: string[] = []
  const cursors: string[] = []
  const keys = new Map<string, number>()
  const mappedTo = ({ login }: SourceUser): UserId | undefined => mapped[login]?.user.id
  const context: PhaseContext = {
    source,
    request: {
      url,
      credentials: undefined,
      token: '',
      forge: { name: 'gitea' } as never,
      parts: new Set(['labels', 'milestones', 'issues', 'pull_requests', 'releases']),
      leftOut: undefined,
      changed: undefined,
      interval: undefined,
      wiki: false,
      lfs: false,
      lfsEndpoint: '',
    } as PhaseContext['request'],
    repoId: asId(row.id),
    fullName: `ann/${name}`,
    repo: git.open({ storage: row.storage, objectFormat: row.object_format }),
    actor: viewerOf(ann.user),
    author: (user) =>
      mappedTo(user) === undefined
        ? { userId: ann.user.id, original_author: user.login, original_author_id: user.id }
        : { userId: mappedTo(user)!, original_author: '', original_author_id: 0 },
    mapped: mappedTo,
    hold: attachments.hold(),
    warn: (text) => void warnings.push(text),
    countBytes: () => {},
    keys: {
      async set(_, of, ids) {
        for (const [key, id] of ids) keys.set(`${of} ${key}`, id)
      },
      async get(_, of, wanted) {
        return new Map(
          wanted.flatMap((key) => {
            const id = keys.get(`${of} ${key}`)
            return id === undefined ? [] : [[key, id] as const]
          }),
        )
      },
    },
    signal: new AbortController().signal,
  }
  return {
    context,
    warnings,
    cursors,
    async run(phase, { from = '', steps = Infinity } = {}) {
      let left = steps
      for await (const step of phase.steps(context, from)) {
        expect(step.count).toBeLessThanOrEqual(100)
        await writeStep(server, step)
        cursors.push(step.cursor)
        if (--left === 0) return
      }
    },
  }
}

const writeStep = ({ app }: TestServer, step: ImportStep): Promise<void> =>
  app.database.transaction((tx) => step.write(tx))
