import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { runChecks } from '../../src/app/doctor.ts'
import { insertJob } from '../../src/core/jobs/job.store.ts'
import type { Finding } from '../../src/core/module.ts'
import { commitFile, createPull, type PullWorld, pullWorld } from '../pulls/pull-world.ts'
import { oracle } from '../core/git/fixture.ts'
import { describeOnBoth } from '../harness/databases.ts'

const PULLS = '/repos/ann/app/pulls'
const LATER = '; a background job is about to change that'

async function examineRepos({ server }: PullWorld): Promise<Finding[]> {
  const found: Finding[] = []
  const wanted = server.app.checks.filter(({ name }) => name === 'repositories' || name === 'pull requests')
  for await (const { findings } of runChecks(wanted, { fix: false, quick: true })) found.push(...findings)
  return found
}
const problems = (found: readonly Finding[]) => found.filter(({ state }) => state === 'problem')

describeOnBoth('the doctor of a running server', (kind) => {
  const world = pullWorld({ on: kind, tuning: { recheckMs: 0 } })
  let path = ''
  let id = 0
  beforeAll(async () => {
    id = (await world.ann.client.get('/repos/ann/app')).json.id
    const { read } = world.server.app.database
    const { storage } = await read.selectFrom('repo').select('storage').where('id', '=', id).executeTakeFirstOrThrow()
    path = world.server.app.git.path(storage)
  })
  afterEach(() => {
    vi.restoreAllMocks()
    return world.server.drain()
  })

  const examine = () => examineRepos(world)
  const note = (what: string): Finding => ({ what: `ann/app: ${what}${LATER}`, state: 'note' })

  it('does not report a ref that is recorded between its two checks', async () => {
    oracle(path, ['update-ref', 'refs/heads/soon', 'refs/heads/main'])
    const { pushes } = world.server.app
    const inspect = pushes.inspect
    let looks = 0
    const spy = vi.spyOn(pushes, 'inspect').mockImplementation(async (repoId) => {
      const drift = await inspect(repoId)
      if (repoId === id && looks++ === 0) {
        expect(drift?.changes).toMatchObject([{ ref: 'refs/heads/soon' }])
        await pushes.reconcile(repoId)
      }
      return drift
    })
    expect(await examine()).toEqual([])
    expect([looks, spy.mock.calls.length > 1]).toEqual([2, true])
  })

  it('reports a ref that remains unrecorded, and one that changed again only if it also remains so', async () => {
    oracle(path, ['update-ref', 'refs/heads/left', 'refs/heads/main'])
    oracle(path, ['update-ref', 'refs/heads/moving', 'refs/heads/main'])
    const { pushes } = world.server.app
    const inspect = pushes.inspect
    const other = oracle(path, ['commit-tree', 'main^{tree}', '-m', 'other'])
    vi.spyOn(pushes, 'inspect').mockImplementation(async (repoId) => {
      const drift = await inspect(repoId)
      if (repoId === id) oracle(path, ['update-ref', 'refs/heads/moving', other])
      return drift
    })
    expect(await examine()).toEqual([{ what: 'ann/app: refs/heads/left moved without a record', state: 'problem' }])
    vi.restoreAllMocks()
    const job = { kind: 'repos.reconcile', key: 'all', payload: '{}', runAt: 1, now: 1 }
    await world.server.app.database.transaction((tx) => insertJob(tx, job))
    expect(await examine()).toEqual([
      note('refs/heads/left moved without a record'),
      note('refs/heads/moving moved without a record'),
    ])
    await world.server.drain()
    expect(await examine()).toEqual([])
  })

  it('notes a head that the event of a push, and then its job, is about to update', async () => {
    await commitFile(world.wes, { branch: 'wide', from: 'main' })
    const numbers: number[] = []
    for (let at = 0; at < 6; at++) {
      await commitFile(world.wes, { branch: `into${at}`, from: 'main' })
      numbers.push((await createPull(world.wes, { head: 'wide', base: `into${at}` })).number)
    }
    await world.server.drain()
    await commitFile(world.wes, { branch: 'wide', path: 'wider.txt' })
    const left = `refs/pull/${numbers[5]!}/head differs from its row`
    expect(await examine()).toEqual([note(left)])
    while (await world.server.app.background.events.dispatchSome());
    expect(await examine()).toEqual([note(left)])
    const { database } = world.server.app
    const [job] = await database.read.selectFrom('job').selectAll().where('kind', '=', 'pulls.sync_branch').execute()
    await database.transaction((tx) => tx.deleteFrom('job').where('kind', '=', 'pulls.sync_branch').execute())
    expect(await examine()).toEqual([{ what: `ann/app: ${left}`, state: 'problem' }])
    await database.transaction((tx) => tx.insertInto('job').values(job!).execute())
    await world.server.drain()
    expect(await examine()).toEqual([])
  })

  it('notes the test merge of a pull request that was closed right before', async () => {
    await commitFile(world.wes, { branch: 'ending', from: 'main' })
    const { number, head } = await createPull(world.wes, { head: 'ending' })
    oracle(path, ['update-ref', `refs/pull/${number}/merge`, head.sha])
    expect((await world.wes.client.patch(`${PULLS}/${number}`, { state: 'closed' })).status).toBe(201)
    expect(await examine()).toEqual([note(`refs/pull/${number}/merge is of a closed pull request`)])
    await world.server.drain()
    expect(await examine()).toEqual([])
  })

  it('does not report a repository that was deleted between its two checks', async () => {
    const repo = await world.server.world.repo({ owner: world.ann, name: 'leaving', autoInit: true })
    oracle(world.server.app.git.path(repo.storage), ['update-ref', 'refs/heads/soon', 'HEAD'])
    const { pushes } = world.server.app
    const inspect = pushes.inspect
    vi.spyOn(pushes, 'inspect').mockImplementation(async (repoId) => {
      const drift = await inspect(repoId)
      if (repoId === repo.id) expect((await world.ann.client.delete('/repos/ann/leaving')).status).toBe(204)
      return drift
    })
    // Its directory is deleted by a job.
    expect(problems(await examine())).toEqual([])
  })
})

describeOnBoth('the doctor of a busy server', (kind) => {
  const world = pullWorld({ on: kind })

  it('finds nothing wrong while pull requests are pushed', async () => {
    await commitFile(world.wes, { branch: 'busy', from: 'main' })
    await commitFile(world.bob, { branch: 'away', from: 'main', repo: 'bob/app' })
    for (const head of ['busy', 'bob:away']) await createPull(world.wes, { head })
    let isPushing = true
    const pushes = [
      { person: world.wes, branch: 'busy', repo: 'ann/app' },
      { person: world.bob, branch: 'away', repo: 'bob/app' },
    ].map(async ({ person, ...to }) => {
      for (let at = 0; isPushing; at++) {
        await commitFile(person, { ...to, path: `busy${at}.txt` })
        await world.server.drain()
      }
    })
    const found: Finding[] = []
    for (let round = 0; round < 3; round++) found.push(...(await examineRepos(world)))
    isPushing = false
    await Promise.all(pushes)
    expect(problems(found)).toEqual([])
  })
})
