import { afterAll, beforeAll, expect, it } from 'vitest'
import { viewerOfAccount, actorOf, systemActor } from '../../../src/core/access/viewer.ts'
import { isDomainError } from '../../../src/core/platform/errors.ts'
import type { User } from '../../../src/domains/accounts/index.ts'
import { freshCore, type TestCore } from '../../harness/core.ts'
import { describeOnBoth } from '../../harness/databases.ts'

describeOnBoth('ten creators at once', (kind) => {
  let db: TestCore
  let ann: User

  beforeAll(async () => {
    db = await freshCore(kind)
    ann = await db.core.users.create(systemActor, {
      name: 'ann',
      email: 'ann@example.test',
      password: 'Corr3ct-horse!',
    })
  }, 60_000)
  afterAll(() => db.close())

  /** One wins, the others get the error that the name is taken. */
  const race = async (create: (turn: number) => Promise<unknown>): Promise<string[]> => {
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, (_, turn) => create(turn)))
    const lost = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
    expect(lost).toHaveLength(9)
    return [
      ...new Set(
        lost.map((error) => (isDomainError(error) ? `${error.kind}: ${error.message}` : `bug: ${String(error)}`)),
      ),
    ]
  }

  it('of a user', async () => {
    expect(
      await race((turn) =>
        db.core.users.create(systemActor, { name: 'same', email: `e${turn}@example.test`, password: 'Corr3ct-horse!' }),
      ),
    ).toEqual(['invalid: user already exists [name: same]'])
    expect(
      await race((turn) =>
        db.core.users.create(systemActor, {
          name: `name${turn}`,
          email: 'same@other.test',
          password: 'Corr3ct-horse!',
        }),
      ),
    ).toEqual(['invalid: e-mail already in use [email: same@other.test]'])
  })

  it('of an organization', async () => {
    expect(await race(() => db.core.orgs.create(actorOf(ann.id), ann, { name: 'guild' }))).toEqual([
      'invalid: user already exists [name: guild]',
    ])
  })

  it('of a repository, and nine directories are deleted again', async () => {
    expect(await race(() => db.core.repos.create(viewerOfAccount(ann), ann, { name: 'one', autoInit: true }))).toEqual([
      'conflict: The repository with the same name already exists.',
    ])
    const stored: string[] = []
    for await (const folder of db.core.git.listStored()) stored.push(...folder.map(({ storage }) => storage))
    expect(stored).toHaveLength(1)
  })
})
