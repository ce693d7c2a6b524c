import { afterAll, beforeAll, expect, it } from 'vitest'
import { oracle } from '../core/git/fixture.ts'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import type { Finding } from '../../src/core/module.ts'
import { commitFile, createPull, pullWorld } from './pull-world.ts'

describeOnBoth('the heads of pull requests', (kind) => {
  const world = pullWorld({ on: kind })
  const LIST = '/repos/ann/app/pulls'
  const shown = async (number: number, client = world.eve.client): Promise<Any> =>
    (await client.get(`${LIST}/${number}`)).json
  let path = ''
  beforeAll(async () => {
    const { read } = world.server.app.database
    const { storage } = await read
      .selectFrom('repo')
      .innerJoin('user', 'user.id', 'repo.owner_id')
      .select('repo.storage')
      .where('user.name', '=', 'ann')
      .executeTakeFirstOrThrow()
    path = world.server.app.git.path(storage)
  })
  afterAll(() => world.server.drain())
  const refOf = (number: number): string =>
    oracle(path, ['for-each-ref', '--format=%(objectname)', `refs/pull/${number}/head`])
  const examine = async (fix: boolean): Promise<Finding[]> => {
    const found: Finding[] = []
    for (const check of world.server.app.checks)
      if (check.name === 'pull requests')
        for await (const finding of check.run({ fix, quick: false })) found.push(finding)
    return found
  }

  it('are rewritten by the doctor when they are missing or differ', async () => {
    await commitFile(world.wes, { branch: 'open', from: 'main' })
    await commitFile(world.wes, { branch: 'shut', from: 'main' })
    await commitFile(world.wes, { branch: 'moved', from: 'main' })
    const pulls = [
      await createPull(world.wes, { head: 'open' }),
      await createPull(world.wes, { head: 'shut' }),
      await createPull(world.wes, { head: 'moved' }),
    ]
    await world.wes.client.patch(`${LIST}/${pulls[1].number}`, { state: 'closed' })
    await world.server.drain()
    expect(await examine(false)).toEqual([])
    for (const { number } of pulls.slice(0, 2)) oracle(path, ['update-ref', '-d', `refs/pull/${number}/head`])
    oracle(path, ['update-ref', `refs/pull/${pulls[2].number}/head`, 'refs/heads/main'])
    const faults = ['is missing', 'is missing', 'differs from its row'].map(
      (fault, index) => `ann/app: refs/pull/${pulls[index].number}/head ${fault}`,
    )
    expect(await examine(false)).toEqual(faults.map((what) => ({ what, state: 'problem' })))
    expect(await examine(true)).toEqual(faults.map((what) => ({ what, state: 'fixed' })))
    expect(pulls.map(({ number }) => refOf(number))).toEqual(pulls.map(({ head }) => head.sha))
    expect(await examine(false)).toEqual([])
  })

  it('may have the name of an existing ref of the repository', async () => {
    await commitFile(world.wes, { branch: 'taken', from: 'main' })
    const last = (await world.eve.client.get(`${LIST}?limit=1`)).json[0].number as number
    oracle(path, ['update-ref', `refs/pull/${last + 1}/head`, 'refs/heads/main'])
    const { number, head } = await createPull(world.wes, { head: 'taken' })
    expect([number, refOf(number)]).toEqual([last + 1, head.sha])
  })

  it('in a hidden repository are shown as proposed', async () => {
    await world.server.world.org('shade', { owner: world.bob, visibility: 'private' })
    expect((await world.bob.client.post('/repos/ann/app/forks', { organization: 'shade' })).status).toBe(202)
    const proposed = await commitFile(world.bob, { branch: 'quiet', from: 'main', repo: 'shade/app' })
    const { number } = await createPull(world.bob, { head: 'shade:quiet' })
    expect((await world.bob.client.patch(`${LIST}/${number}`, { state: 'closed' })).status).toBe(201)
    const later = await commitFile(world.bob, { branch: 'quiet', path: 'later.txt', repo: 'shade/app' })
    await world.server.drain()
    expect((await shown(number)).head).toMatchObject({
      sha: proposed,
      repo: { permissions: { admin: false, push: false, pull: false } },
    })
    expect((await shown(number, world.bob.client)).head.sha).toBe(later)
    expect((await world.eve.client.get(`/repos/ann/app/git/commits/${later}`)).status).toBe(404)
    expect((await world.eve.client.get(`${LIST}/main/shade:quiet`)).status).toBe(404)
    const body = { head: 'shade:quiet', base: 'main', title: 'Hidden' }
    expect((await world.wes.client.post(LIST, body)).status).toBe(404)
  })

  it('that cannot be updated do not stop other pull requests', async () => {
    await commitFile(world.wes, { branch: 'trunk', from: 'main' })
    for (const head of ['sick', 'well']) await commitFile(world.wes, { branch: head, from: 'trunk' })
    const [sick, well] = [
      await createPull(world.wes, { head: 'sick', base: 'trunk' }),
      await createPull(world.wes, { head: 'well', base: 'trunk' }),
    ]
    const missing = '1'.repeat(40)
    await world.server.app.database.transaction((tx) =>
      tx.updateTable('pull').set({ head_oid: missing }).where('id', '=', sick.id).execute(),
    )
    expect((await world.wes.client.delete('/repos/ann/app/branches/trunk')).status).toBe(204)
    await world.server.drain()
    expect((await shown(well.number)).base.ref).toBe('main')
  })

  it('are updated after reopening with another base', async () => {
    await commitFile(world.wes, { branch: 'target', from: 'main' })
    await commitFile(world.wes, { branch: 'back', from: 'main' })
    const { number } = await createPull(world.wes, { head: 'back' })
    const edit = (body: object) => world.wes.client.patch(`${LIST}/${number}`, body)
    expect((await edit({ state: 'closed', base: 'target' })).status).toBe(422)
    expect((await edit({ state: 'closed' })).status).toBe(201)
    expect((await edit({ base: 'target' })).status).toBe(422)
    expect(await edit({ state: 'open', base: 'target' })).toMatchObject({
      status: 201,
      json: { state: 'open', base: { ref: 'target' }, mergeable: true },
    })
  })
})
