import { afterAll, beforeAll, expect } from 'vitest'
import type { PhaseContext, ImportKeys, ImportPhase } from '../../src/domains/migration/imports/phase.ts'
import type {
  Pages,
  Source,
  SourceComment,
  SourceDependency,
  SourceEvent,
  SourceIssue,
  SourceLabel,
  SourceMilestone,
  SourceTrackedTime,
  SourceUser,
} from '../../src/domains/migration/imports/source.ts'
import { commentsPhase } from '../../src/domains/migration/imports/phases/comments.phase.ts'
import { countsPhase } from '../../src/domains/migration/imports/phases/counts.phase.ts'
import { dependenciesPhase } from '../../src/domains/migration/imports/phases/dependencies.phase.ts'
import { eventsPhase } from '../../src/domains/migration/imports/phases/events.phase.ts'
import { issuesPhase } from '../../src/domains/migration/imports/phases/issues.phase.ts'
import { labelsPhase } from '../../src/domains/migration/imports/phases/labels.phase.ts'
import { milestonesPhase } from '../../src/domains/migration/imports/phases/milestones.phase.ts'
import { timesPhase } from '../../src/domains/migration/imports/phases/times.phase.ts'
import type { Repo } from '../../src/domains/repositories/index.ts'
import { RemoteError } from '../../src/core/git/index.ts'
import type { UserId } from '../../src/core/platform/crypto/ids.ts'
import type { Any } from '../harness/client.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import { type Person, viewerOf } from '../harness/world.ts'

/** What the service of a test has; pages hold two items. */
export interface Content {
  readonly labels: readonly SourceLabel[]
  readonly milestones: readonly SourceMilestone[]
  readonly issues: readonly SourceIssue[]
  readonly comments: readonly SourceComment[]
  readonly events: readonly SourceEvent[]
  readonly times: readonly SourceTrackedTime[]
  readonly dependencies: readonly SourceDependency[]
  /** Bytes by address, or the error of the download. */
  readonly files: Readonly<Record<string, Error | string>>
}

interface PhaseWorld {
  readonly server: TestServer
  /** The account that imports. */
  readonly ann: Person
  readonly bob: Person
}

/** A server; the members exist while the tests of the describe block run. */
export function phaseWorld(on: 'sqlite' | 'postgres'): PhaseWorld {
  const given = {} as PhaseWorld
  beforeAll(async () => {
    const server = await startServer({ on, settings: { 'attachment.max_size': '1' } })
    const [ann, bob] = [await server.world.user('ann'), await server.world.user('bob')]
    Object.assign(given, { server, ann, bob } satisfies PhaseWorld)
  })
  afterAll(() => given.server.close())
  return given
}

const PAGE = 2

async function* paged<T>(items: readonly T[]): Pages<T> {
  for (let start = 0; start < items.length; start += PAGE) yield items.slice(start, start + PAGE)
}

function sourceOf(content: Content): Source {
  const empty = () => paged<never>([])
  return {
    facts: async () => ({
      description: '',
      website: '',
      topics: [],
      isPrivate: false,
      isArchived: false,
      defaultBranch: 'main',
    }),
    labels: () => paged(content.labels),
    pulls: empty,
    reviews: empty,
    releases: empty,
    protections: async () => ({ branches: [], tags: [] }),
    counts: async () => ({}),
    milestones: () => paged(content.milestones),
    issues: (after) => paged(content.issues.filter(({ number }) => !(number <= after))),
    comments: ({ after }) => paged(content.comments.filter(({ id }) => id > after)),
    events: ({ number }) => paged(content.events.filter(({ issue }) => issue === number)),
    trackedTimes: () => paged(content.times),
    dependencies: ({ number }) => paged(content.dependencies.filter(({ issue }) => issue === number)),
    async download({ url }, _signal, consume) {
      const bytes = content.files[url] ?? ''
      if (typeof bytes !== 'string') throw bytes
      return consume(
        (async function* () {
          // In two parts, so that more than the head of a file is copied.
          yield Buffer.from(bytes.slice(0, 20), 'latin1')
          yield Buffer.from(bytes.slice(20), 'latin1')
        })(),
      )
    },
    filesIn: (text) =>
      [...text.matchAll(/https:\/\/source\.test\/files\/\w+/g)].map(([url]) => ({
        name: url.split('/').at(-1)!,
        url,
        kind: 'file',
        downloads: 0,
        createdAt: undefined,
        textUrl: url,
      })),
    rewriteReferences: (text) => text.replaceAll(/(?<!\w)!(\d+)/g, '#$1'),
  }
}

interface ImportOptions {
  readonly content: Partial<Content>
  readonly repo: Repo
  /** Accounts for logins of the service. */
  readonly users?: Readonly<Record<string, UserId>>
  /** Every phase is interrupted after each step, and resumed. */
  readonly isInterrupted?: boolean
  /** The bytes that the import may copy. */
  readonly maxBytes?: number
}

const NOTHING: Content = {
  labels: [],
  milestones: [],
  issues: [],
  comments: [],
  events: [],
  times: [],
  dependencies: [],
  files: {},
}

/** Runs the phases that write issues; returns the warnings. */
export async function importIssues(
  { server, ann }: PhaseWorld,
  { content, repo, users = {}, isInterrupted = false, maxBytes = Infinity }: ImportOptions,
): Promise<string[]> {
  const { app } = server
  const hold = app.attachments.hold()
  const warnings: string[] = []
  let left = maxBytes
  const context = {
    source: sourceOf({ ...NOTHING, ...content }),
    request: {
      parts: new Set(['labels', 'milestones', 'issues', 'pull_requests', 'releases']),
      forge: { name: 'gitea' },
    } as unknown as PhaseContext['request'],
    repoId: repo.id,
    actor: viewerOf(ann.user),
    author: (user: SourceUser) => {
      const mapped = users[user.login]
      return mapped === undefined
        ? { userId: ann.user.id, original_author: user.login, original_author_id: user.id }
        : { userId: mapped, original_author: '', original_author_id: 0 }
    },
    mapped: (user: SourceUser) => users[user.login],
    hold,
    warn: (text: string) => void warnings.push(text),
    countBytes: (bytes: number) => {
      left -= bytes
      if (left < 0) throw new RemoteError('failed', 'too large')
    },
    keys: keysInMemory(),
    signal: new AbortController().signal,
  } as unknown as PhaseContext
  const deps = {
    ...app,
    issueRules: app.uploadRules.issues,
    reactions: new Set(['+1', 'heart']),
    maxPins: 3,
  }
  const phases = [
    labelsPhase,
    milestonesPhase,
    issuesPhase,
    commentsPhase,
    eventsPhase,
    timesPhase,
    dependenciesPhase,
    countsPhase,
  ]
  try {
    for (const phase of phases.map((make) => make(deps))) await runPhase(server, phase, { context, isInterrupted })
  } finally {
    await hold.release()
  }
  return warnings
}

async function runPhase(
  { app }: TestServer,
  phase: ImportPhase,
  { context, isInterrupted }: { readonly context: PhaseContext; readonly isInterrupted: boolean },
): Promise<void> {
  let cursor = ''
  for (;;) {
    let steps = 0
    for await (const step of phase.steps(context, cursor)) {
      steps++
      await app.database.transaction((tx) => step.write(tx))
      // The last step of the counts is repeated, without a further effect.
      if (cursor === step.cursor && phase.name === 'counts') return
      cursor = step.cursor
      if (isInterrupted) break
    }
    if (!isInterrupted || steps === 0) return
  }
}

function keysInMemory(): ImportKeys {
  const known = new Map<string, number>()
  return {
    async set(_tx, kind, ids) {
      for (const [key, id] of ids) known.set(`${kind} ${key}`, id)
    },
    get: async (_tx, kind, keys) =>
      new Map(
        keys.flatMap((key) => {
          const id = known.get(`${kind} ${key}`)
          return id === undefined ? [] : [[key, id] as const]
        }),
      ),
  }
}

/** Imports to a new repository of ann, with an account for tom; `get` reads below it. */
export async function importInto(
  given: PhaseWorld,
  name: string,
  options: Pick<ImportOptions, 'content' | 'isInterrupted'>,
): Promise<{ readonly warnings: string[]; get(path: string): Promise<Any> }> {
  const { server, ann, bob } = given
  const repo = await server.world.repo({ owner: ann, name, autoInit: true })
  const warnings = await importIssues(given, { ...options, repo, users: { tom: bob.user.id } })
  return {
    warnings,
    async get(path) {
      const answer = await ann.client.get(`/repos/ann/${name}${path}`)
      expect(answer.status, path).toBe(200)
      return answer.json
    },
  }
}
