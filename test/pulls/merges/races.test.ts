import { expect, it, vi } from 'vitest'
import { createClient } from '../../harness/client.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { oracle } from '../../core/git/fixture.ts'
import { commitFile, merge, newPull, PULLS, pullWorld } from './merge-world.ts'

const STYLES = ['merge', 'squash', 'rebase', 'rebase-merge', 'fast-forward-only']

describeOnBoth('merging at once', (kind) => {
  const world = pullWorld({ on: kind })
  const repoPath = async () => {
    const row = await world.server.app.database.read
      .selectFrom('repo')
      .select('storage')
      .where('name', '=', 'app')
      .orderBy('id')
      .executeTakeFirstOrThrow()
    return world.server.app.git.path(row.storage)
  }

  it('merges commits that were pushed to the head right before', async () => {
    const { number } = await newPull(world.wes, 'followed')
    await commitFile(world.wes, { branch: 'followed', path: 'followed-later.txt' })
    const answering = merge(world.wes, number)
    await world.ann.client.get(`${PULLS}/${number}`)
    await world.server.drain()
    expect((await answering).status).toBe(200)
    const files = oracle(await repoPath(), ['ls-tree', '--name-only', 'main']).split('\n')
    expect(files).toEqual(expect.arrayContaining(['followed.txt', 'followed-later.txt']))
  })

  it('merges each of 50 pull requests or returns a reason', { timeout: 240_000 }, async () => {
    const pulls = []
    for (let index = 0; index < 50; index++) pulls.push(await newPull(world.wes, `many${index}`))
    const [answers] = await Promise.all([
      Promise.all(pulls.map(({ number }, index) => merge(world.wes, number, { Do: STYLES[index % 5] }))),
      (async () => {
        for (let index = 0; index < 5; index++)
          await commitFile(world.ann, { branch: 'main', path: `pushed${index}.txt` }).catch(() => {})
      })(),
    ])
    for (const { status, json } of answers) {
      expect([200, 409, 422]).toContain(status)
      if (status !== 200) expect(json.message).not.toBe('')
    }
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(35)
    const path = await repoPath()
    const history = new Set(oracle(path, ['rev-list', 'main']).split('\n'))
    const files = new Set(oracle(path, ['ls-tree', '--name-only', 'main']).split('\n'))
    for (const [index, answer] of answers.entries()) {
      const { number } = pulls[index]
      const shown = (await world.ann.client.get(`${PULLS}/${number}`)).json
      expect([shown.merged, files.has(`many${index}.txt`)]).toEqual([answer.status === 200, answer.status === 200])
      if (shown.merged) expect(history.has(shown.merge_commit_sha)).toBe(true)
    }
    const branch = (await world.ann.client.get('/repos/ann/app/branches/main')).json
    expect(branch.commit.id).toBe(oracle(path, ['rev-parse', 'main']))
    const left = await world.server.app.database.read.selectFrom('merge_intent').selectAll().execute()
    expect(left).toEqual([])
  })

  it.each([
    [4, 200],
    [5, 409],
  ])('retries when the base moves, %i times: %i', async (moves, status) => {
    const { number } = await newPull(world.wes, `moving${moves}`)
    const path = await repoPath()
    const { pushes } = world.server.app
    const move = pushes.moveRefs.bind(pushes)
    let left = moves
    const spy = vi.spyOn(pushes, 'moveRefs').mockImplementation((...args) => {
      if (left-- > 0) {
        const commit = oracle(path, ['commit-tree', 'main^{tree}', '-p', 'main', '-m', `moved ${left}`])
        oracle(path, ['update-ref', 'refs/heads/main', commit])
      }
      return move(...args)
    })
    const answer = await merge(world.wes, number)
    spy.mockRestore()
    expect([answer.status, answer.json.message]).toEqual([
      status,
      status === 200 ? answer.json.message : 'merge push out of date',
    ])
    const intents = await world.server.app.database.read.selectFrom('merge_intent').selectAll().execute()
    expect(intents).toEqual([])
    if (status !== 200) expect((await merge(world.wes, number)).status).toBe(200)
  })

  it('does not merge into another base than the one that was checked', async () => {
    await commitFile(world.ann, { branch: 'elsewhere', from: 'main' })
    const { number } = await newPull(world.wes, 'retargeted')
    const { pushes } = world.server.app
    const move = pushes.moveRefs.bind(pushes)
    const spy = vi.spyOn(pushes, 'moveRefs').mockImplementationOnce(async (...args) => {
      expect((await world.wes.client.patch(`${PULLS}/${number}`, { base: 'elsewhere' })).status).toBe(201)
      await commitFile(world.ann, { branch: 'main', path: 'before-retargeted.txt' })
      return move(...args)
    })
    const answer = await merge(world.ann, number)
    spy.mockRestore()
    expect([answer.status, answer.json.message]).toEqual([409, 'the pull request has another base now'])
    expect((await world.ann.client.get(`${PULLS}/${number}/merge`)).status).toBe(404)
  })

  it('merges a pull request once, also for concurrent requests', async () => {
    const pull = await newPull(world.wes, 'once')
    const answers = await Promise.all([merge(world.wes, pull.number), merge(world.ann, pull.number)])
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 422])
    const entries = (await world.ann.client.get(`/repos/ann/app/issues/${pull.number}/timeline`)).json
    expect(entries.filter((entry: { type: string }) => entry.type === 'merge_pull')).toHaveLength(1)
  })

  const removals: readonly (readonly [what: string, remove: (tokenId: number) => Promise<unknown>])[] = [
    ['the collaboration', () => world.ann.client.delete('/repos/ann/app/collaborators/wes')],
    ['the token', (id) => world.wes.client.delete(`/users/wes/tokens/${id}`)],
  ]
  it.each(removals)('refuses merges that waited for another one after %s was removed', async (what, remove) => {
    await world.ann.client.put('/repos/ann/app/collaborators/wes', { permission: 'write' })
    const token = (await world.wes.client.post('/users/wes/tokens', { name: what, scopes: ['all'] })).json
    const client = createClient(world.server.url, world.server.app.operations, { authorization: `token ${token.sha1}` })
    const pulls = []
    for (let index = 0; index < 8; index++) pulls.push(await newPull(world.wes, `${what.replace(' ', '-')}${index}`))
    const { pushes } = world.server.app
    const move = pushes.moveRefs.bind(pushes)
    const [entered, removed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const spy = vi.spyOn(pushes, 'moveRefs').mockImplementation(async (...args) => {
      entered.resolve()
      await removed.promise
      return move(...args)
    })
    const answering = pulls.map(({ number }) => merge({ ...world.wes, client }, number))
    await entered.promise
    // The others wait for the lock by the time the later requests return.
    for (const { number } of pulls) await client.get(`${PULLS}/${number}`)
    await remove(token.id)
    removed.resolve()
    const statuses = (await Promise.all(answering)).map(({ status }) => status)
    spy.mockRestore()
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    for (const { number } of pulls) {
      const { merged, state } = (await world.ann.client.get(`${PULLS}/${number}`)).json
      expect(merged).toBe(state === 'closed')
    }
  })

  it('refuses a merge whose access was removed while its commit was built', async () => {
    await world.ann.client.put('/repos/ann/app/collaborators/wes', { permission: 'write' })
    const { number } = await newPull(world.wes, 'building')
    await world.server.drain()
    const { database } = world.server.app
    const transaction = database.transaction.bind(database)
    const spy = vi.spyOn(database, 'transaction').mockImplementationOnce(async (work) => {
      expect((await world.ann.client.delete('/repos/ann/app/collaborators/wes')).status).toBe(204)
      return transaction(work)
    })
    const answer = await merge(world.wes, number)
    spy.mockRestore()
    expect([answer.status, answer.json.message]).toEqual([422, 'User not allowed to merge PR'])
    expect((await world.ann.client.get(`${PULLS}/${number}`)).json.merged).toBe(false)
  })
})
