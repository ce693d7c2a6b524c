import { afterAll, beforeAll, expect, it } from 'vitest'
import { listBranchRules, loadBranchRuleFacts } from './branch-rule.store.ts'
import { loadTagRuleFacts } from '../tags/tag-rule.store.ts'
import type { Repo } from '../../../repositories/index.ts'
import { insertCommitStatus, listCommitStatuses, listLatestStatuses } from '../../statuses/commit-status.store.ts'
import { describeOnBoth } from '../../../../../test/harness/databases.ts'
import { startServer, type TestServer } from '../../../../../test/harness/server.ts'
import type { Person } from '../../../../../test/harness/world.ts'

describeOnBoth('rules and statuses in the database', (kind) => {
  let server: TestServer
  let ann: Person
  let bob: Person
  let repo: Repo

  beforeAll(async () => {
    server = await startServer({ on: kind })
    ann = await server.world.user('ann')
    bob = await server.world.user('bob')
    const acme = await server.world.org('acme', { owner: ann })
    repo = await server.world.repo({ owner: acme.org, by: ann, name: 'r', autoInit: true })
    await acme.team('devs', { permission: 'write', units: ['repo.code', 'repo.pulls'], members: [bob], repos: [repo] })
  })
  afterAll(() => server.close())

  it('lists the whitelists that name a user, by name and by team, each once', async () => {
    const path = '/repos/acme/r/branch_protections'
    const rule = (body: object) => ann.client.post(path, body)
    expect(
      (
        await rule({
          rule_name: 'a',
          push_whitelist_usernames: ['bob'],
          push_whitelist_teams: ['devs'],
          merge_whitelist_teams: ['devs'],
        })
      ).status,
    ).toBe(201)
    expect((await rule({ rule_name: 'b', approvals_whitelist_username: ['bob'] })).status).toBe(201)
    expect((await rule({ rule_name: 'c' })).status).toBe(201)
    expect((await rule({ rule_name: 'c' })).status).toBe(403)
    const named = async (userId: number, owner = repo.ownerId) => {
      const { rules, listed } = await loadBranchRuleFacts(
        server.app.database.read,
        { id: repo.id, ownerId: owner },
        userId,
      )
      return rules
        .toSorted((x, y) => x.id - y.id)
        .map(({ id, name }) => [name, ...[...(listed.get(id) ?? [])].toSorted()])
    }
    expect(await named(bob.user.id)).toEqual([['a', 'merge', 'push'], ['b', 'approvals'], ['c']])
    expect(await named(0)).toEqual([['a'], ['b'], ['c']])
    expect(await named(bob.user.id, ann.user.id)).toEqual([['a', 'push'], ['b', 'approvals'], ['c']])
    expect(
      (await listBranchRules(server.app.database.read, repo.id))
        .map(({ priority }) => priority)
        .toSorted((x, y) => x - y),
    ).toEqual([1, 2, 3])
    expect((await ann.client.patch(`${path}/a`, { push_whitelist_teams: [] })).json).toMatchObject({
      push_whitelist_teams: [],
      merge_whitelist_teams: ['devs'],
    })
  })

  it('lists the tag patterns that name a user', async () => {
    await ann.client.post('/repos/acme/r/tag_protections', { name_pattern: 'v*', whitelist_teams: ['devs'] })
    await ann.client.post('/repos/acme/r/tag_protections', { name_pattern: 'w*', whitelist_usernames: ['ann'] })
    const facts = async (userId: number) =>
      Object.fromEntries(
        (await loadTagRuleFacts(server.app.database.read, repo, userId)).map(({ pattern, isListed }) => [
          pattern,
          isListed,
        ]),
      )
    expect(await facts(bob.user.id)).toEqual({ 'v*': true, 'w*': false })
    expect(await facts(ann.user.id)).toEqual({ 'v*': false, 'w*': true })
    expect(await facts(0)).toEqual({ 'v*': false, 'w*': false })
  })

  it('numbers concurrent statuses without gaps and lists the newest of each context', async () => {
    const { database } = server.app
    const commit = { repoId: repo.id, oid: 'a'.repeat(40) }
    const values = { state: 'success' as const, description: '', targetUrl: '', creatorId: ann.user.id, at: 1 }
    await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        database.transaction((tx) =>
          insertCommitStatus(tx, database.dialect, commit, { ...values, context: `c${at % 3}` }),
        ),
      ),
    )
    const all = await listCommitStatuses(
      database.read,
      commit,
      { sort: 'highestindex', state: undefined },
      { page: 1, limit: 50, offset: 0 },
    )
    expect(all.items.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    const latest = await listLatestStatuses(database.read, commit, { page: 1, limit: 2, offset: 0 })
    expect([latest.total, latest.items.length]).toEqual([3, 2])
    expect((await listLatestStatuses(database.read, { ...commit, oid: 'b'.repeat(40) })).total).toBe(0)
  })
})
