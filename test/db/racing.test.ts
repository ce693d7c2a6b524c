import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DEFAULT_UNITS } from '../../src/access/units.ts'
import { viewerOfAccount } from '../../src/access/viewer.ts'
import { createGit, type Git } from '../../src/git/index.ts'
import { systemClock as clock } from '../../src/platform/clock.ts'
import { isDomainError } from '../../src/platform/errors.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { createOrgs, type Orgs } from '../../src/subjects/orgs/orgs.service.ts'
import { createDiskQuota } from '../../src/subjects/quota/disk-quota.ts'
import { NO_QUOTA } from '../../src/subjects/quota/room.ts'
import { createRepos, type Repos } from '../../src/subjects/repos/repos.service.ts'
import type { User } from '../../src/subjects/users/user.store.ts'
import { createUsers, type Users } from '../../src/subjects/users/users.service.ts'
import { describeOnBoth, freshDatabase, type TestDatabase } from '../harness/databases.ts'

describeOnBoth('ten creators at once', (kind) => {
  let db: TestDatabase
  let git: Git
  let root: string
  let users: Users
  let orgs: Orgs
  let repos: Repos
  let ann: User

  beforeAll(async () => {
    db = await freshDatabase(kind)
    root = mkdtempSync(join(tmpdir(), 'ingot-racing-'))
    git = await createGit({ root, log: createLogger('silent'), clock })
    const { database } = db
    users = createUsers({
      database,
      clock,
      passwordRules: { minLength: 8, complexity: 'off' },
      defaultVisibility: 'public',
      loginSources: [],
    } as never)
    orgs = createOrgs({ database, clock, rules: { membersArePublic: false, onlyAdminsCreate: false, autoWatch: true } })
    repos = createRepos({
      database,
      git,
      clock,
      quota: createDiskQuota({ database, settings: NO_QUOTA }),
      rules: {
        defaultBranch: 'main',
        units: DEFAULT_UNITS,
        maxCreation: -1,
        forcePrivate: false,
        autoWatch: true,
        pushCreate: { forUsers: false, forOrgs: false, isPrivate: true },
        noReplyDomain: 'example.test',
      },
    })
    ann = await users.create(0, { name: 'ann', email: 'ann@example.test', password: 'Corr3ct-horse!' })
  })
  afterAll(async () => {
    git.close()
    rmSync(root, { recursive: true, force: true })
    await db.close()
  })

  /** One wins, the others hear that the name is taken. */
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
        users.create(0, { name: 'same', email: `e${turn}@example.test`, password: 'Corr3ct-horse!' }),
      ),
    ).toEqual(['invalid: user already exists [name: same]'])
    expect(
      await race((turn) =>
        users.create(0, { name: `name${turn}`, email: 'same@other.test', password: 'Corr3ct-horse!' }),
      ),
    ).toEqual(['invalid: e-mail already in use [email: same@other.test]'])
  })

  it('of an organization', async () => {
    expect(await race(() => orgs.create(ann.id, ann, { name: 'guild' }))).toEqual([
      'invalid: user already exists [name: guild]',
    ])
  })

  it('of a repository, and nine directories are gone again', async () => {
    expect(await race(() => repos.create(viewerOfAccount(ann), ann, { name: 'one', autoInit: true }))).toEqual([
      'conflict: The repository with the same name already exists.',
    ])
    const stored: string[] = []
    for await (const folder of git.listStored()) stored.push(...folder.map(({ storage }) => storage))
    expect(stored).toHaveLength(1)
  })
})
