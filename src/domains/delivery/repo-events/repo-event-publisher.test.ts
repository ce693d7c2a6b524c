import { afterAll, beforeAll, expect, it } from 'vitest'
import { ownerAccess } from '../../../core/access/repo-access.ts'
import { systemActor, viewerOfAccount } from '../../../core/access/viewer.ts'
import type { DomainEvent } from '../../../core/events/index.ts'
import { GitError, type GitErrorKind } from '../../../core/git/errors.ts'
import { conflict, unavailable } from '../../../core/platform/errors.ts'
import type { Listener, Message } from '../../../core/streams/index.ts'
import { freshCore, type TestCore } from '../../../../test/harness/core.ts'
import { describeOnBoth } from '../../../../test/harness/databases.ts'
import type { Repo, RepoInView } from '../../repositories/index.ts'
import { createRepoEventPublisher } from './repo-event-publisher.ts'

describeOnBoth('the event stream of a repository whose messages cannot be built', (on) => {
  let db: TestCore
  let repo: Repo
  beforeAll(async () => {
    db = await freshCore(on)
    const email = 'ann@example.com'
    const ann = await db.core.users.create(systemActor, { name: 'ann', email, password: 'Corr3ct-horse!' })
    repo = await db.core.repos.create(viewerOfAccount(ann), ann, { name: 'a' })
  }, 60_000)
  afterAll(() => db.close())

  /** A board whose builder throws, and a listener that collects its messages. */
  function failing(error: Error) {
    const sent: Message[] = []
    const logged: unknown[] = []
    const log = { error: (entry: { readonly err: unknown }) => void logged.push(entry.err) }
    const publisher = createRepoEventPublisher({
      database: db.database,
      clock: { now: () => 1 },
      log: log as never,
      messageBuilders: new Map([['label.edited', () => Promise.reject(error)]]),
    })
    const listener = {
      access: { repo, access: ownerAccess(repo) },
      isReady: () => Promise.resolve(true),
      isAdmitted: () => Promise.resolve(true),
      send: (messages: readonly Message[]) => void sent.push(...messages),
    } as unknown as Listener<RepoInView>
    const payload = { label_id: 1, name: 'bug', color: 'ff0000' }
    const events = [
      { id: 7, kind: 'label.edited', actorId: 0, repoId: repo.id, at: 1, payload },
    ] as unknown as readonly DomainEvent[]
    const channel = publisher.channel(repo.id)
    const leave = channel.join(listener)
    return {
      sent,
      logged,
      live: () => publisher.publish(events).finally(leave),
      resumed: () => Array.fromAsync(channel.read(events, listener)),
    }
  }

  const temporary = [new GitError('busy', 'the repository is locked'), new GitError('timeout', 'git took too long')]
  it.each([...temporary, unavailable('the database is busy')])(
    'ends by a temporary failure, so that the client resumes before the event: %s',
    async (error) => {
      const { live, resumed, sent, logged } = failing(error)
      await expect(live()).rejects.toBe(error)
      await expect(resumed()).rejects.toBe(error)
      expect({ sent, logged }).toEqual({ sent: [], logged: [] })
    },
  )

  const kinds: readonly GitErrorKind[] = ['missing', 'no-repo', 'corrupt', 'too-large', 'failed']
  it.each([...kinds.map((kind) => new GitError(kind, kind)), conflict('changed'), new Error('a bug')])(
    'continues after any other failure, without the messages of the event: %s',
    async (error) => {
      const { live, resumed, sent, logged } = failing(error)
      await live()
      const again = await resumed()
      expect([...sent, ...again].map(({ id }) => id)).toEqual([7, 7])
      expect(String(sent[0]!.bytes)).toContain('"total_messages":0')
      expect(logged).toEqual([error, error])
    },
  )
})
