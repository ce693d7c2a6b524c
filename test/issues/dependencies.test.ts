import { describe, expect, it } from 'vitest'
import { describeOnBoth } from '../harness/databases.ts'
import type { Any } from '../harness/client.ts'
import { rows } from '../harness/expect.ts'
import { createIssue, issueWorld } from './issue-world.ts'

const DESK = '/repos/ann/desk/issues'
const numbers = (answer: Any): number[] => answer.json.map((issue: Any) => issue.number)

describeOnBoth('dependencies of issues', (on) => {
  const given = issueWorld({ on })

  it('are listed on both sides, with an entry on both issues', async () => {
    const { ann, server } = given
    const [one, two, three] = [await createIssue(ann), await createIssue(ann), await createIssue(ann)]
    const path = (issue: Any, list: string) => `${DESK}/${issue.number}/${list}`
    const added = await ann.client.post(path(one, 'dependencies'), { owner: 'ann', repo: 'desk', index: two.number })
    expect([added.status, added.json.number]).toEqual([201, one.number])
    const blocking = await ann.client.post(path(three, 'blocks'), { index: one.number })
    expect([blocking.status, blocking.json.number]).toEqual([201, three.number])
    const blockers = await server.anonymous.get(path(one, 'dependencies'))
    expect(numbers(blockers)).toEqual([three.number, two.number])
    expect(blockers.headers.get('x-total-count')).toBe('2')
    expect(numbers(await server.anonymous.get(`${path(one, 'dependencies')}?limit=1&page=2`))).toEqual([two.number])
    expect(numbers(await server.anonymous.get(path(two, 'blocks')))).toEqual([one.number])
    const deleted = await ann.client.delete(path(one, 'dependencies'), { index: two.number })
    expect([deleted.status, deleted.json.number]).toEqual([201, one.number])
    expect((await ann.client.delete(path(three, 'blocks'), { index: one.number })).status).toBe(201)
    expect(numbers(await server.anonymous.get(path(one, 'dependencies')))).toEqual([])
    const entries = await rows(server, 'timeline_entry')
    expect(entries.map((entry) => [entry.issue_id, entry.kind, entry.target_id])).toEqual([
      [one.id, 'add_dependency', two.id],
      [two.id, 'add_dependency', one.id],
      [one.id, 'add_dependency', three.id],
      [three.id, 'add_dependency', one.id],
      [one.id, 'remove_dependency', two.id],
      [two.id, 'remove_dependency', one.id],
      [one.id, 'remove_dependency', three.id],
      [three.id, 'remove_dependency', one.id],
    ])
  })

  it('exist once and in one direction under concurrent additions', async () => {
    const { ann, wes } = given
    const [one, two] = [await createIssue(ann), await createIssue(ann)]
    const add = (n: number) => {
      const [from, to] = n % 2 ? [one, two] : [two, one]
      return (n % 3 ? ann : wes).client.post(`${DESK}/${from.number}/dependencies`, { index: to.number })
    }
    const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => add(n)))
    expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([201, ...Array(7).fill(422)])
    expect((await ann.client.post(`${DESK}/${one.number}/dependencies`, { index: one.number })).status).toBe(422)
  })

  it('prevent an issue from being closed until they are closed', async () => {
    const { ann } = given
    const [one, two] = [await createIssue(ann), await createIssue(ann)]
    const close = async ({ number }: Any) => (await ann.client.patch(`${DESK}/${number}`, { state: 'closed' })).status
    await ann.client.post(`${DESK}/${one.number}/dependencies`, { index: two.number })
    const refused = await ann.client.patch(`${DESK}/${one.number}`, { state: 'closed', title: 'Not stored' })
    expect([refused.status, refused.json.message]).toEqual([
      412,
      'cannot close this issue or pull request because it still has open dependencies',
    ])
    expect((await ann.client.get(`${DESK}/${one.number}`)).json.title).toBe('An issue')
    expect([await close(two), await close(one)]).toEqual([201, 201])
    expect((await ann.client.delete(`${DESK}/${two.number}`)).status).toBe(204)
    expect((await ann.client.get(`${DESK}/${one.number}/dependencies`)).json).toEqual([])
  })
})

describe('permissions for dependencies', () => {
  const given = issueWorld()

  it('require write access to the dependent issue and read access to the other; otherwise 404', async () => {
    const { ann, bob, wes, server } = given
    const [one, two] = [await createIssue(ann), await createIssue(ann)]
    const secret = await createIssue(ann, {}, 'ann/vault')
    await bob.client.post('/user/repos', { name: 'own' })
    const his = await createIssue(bob, {}, 'bob/own')
    const add = async (person: typeof ann, path: string, body: object) => (await person.client.post(path, body)).status
    const dependencies = `${DESK}/${one.number}/dependencies`
    const blocks = `${DESK}/${one.number}/blocks`
    const hidden = { owner: 'ann', repo: 'vault', index: secret.number }
    expect(await add(bob, dependencies, { index: two.number })).toBe(404)
    expect(await add(bob, blocks, { index: two.number })).toBe(404)
    expect(await add(wes, dependencies, hidden)).toBe(404)
    expect(await add(wes, dependencies, { index: 999 })).toBe(404)
    expect(await add(wes, dependencies, {})).toBe(404)
    expect(await add(wes, dependencies, { owner: 'ann', repo: 'missing', index: 1 })).toBe(404)
    expect(await add(wes, dependencies, { index: 'one' })).toBe(422)
    expect((await server.anonymous.post(dependencies, { index: two.number })).status).toBe(401)
    expect((await server.anonymous.post(blocks, { index: two.number })).status).toBe(401)
    expect((await ann.client.delete(dependencies, { index: two.number })).status).toBe(404)
    expect(await add(bob, blocks, { owner: 'bob', repo: 'own', index: his.number })).toBe(201)
    const publicly = await ann.withToken('public-only', 'all')
    expect((await publicly.post(dependencies, hidden)).status).toBe(404)
    expect(await add(ann, dependencies, hidden)).toBe(201)
  })

  it('show unreadable issues in part to writers, and as hidden to others and to restricted tokens', async () => {
    const { ann, bob, wes, server } = given
    const issue = await createIssue(ann)
    const secret = await createIssue(ann, { title: 'Secret' }, 'ann/vault')
    const path = `${DESK}/${issue.number}/dependencies`
    await ann.client.post(path, { owner: 'ann', repo: 'vault', index: secret.number })
    const listed = async (person: typeof ann) => (await person.client.get(path)).json
    expect((await listed(ann))[0]).toMatchObject({ title: 'Secret', id: secret.id })
    expect(await listed(bob)).toMatchObject([
      { number: 0, title: 'HIDDEN', url: '', user: null, assets: [], repository: { name: '' } },
    ])
    expect(await listed(wes)).toMatchObject([
      { number: secret.number, title: 'Secret', url: '', user: null, repository: { full_name: 'ann/vault' } },
    ])
    const publicly = await ann.withToken('public-only', 'all')
    const limited = await ann.client.post('/users/ann/tokens', {
      name: 'desk',
      scopes: ['all'],
      repositories: ['ann/desk'],
    })
    const byLimited = await server.anonymous.get(path, { authorization: `token ${limited.json.sha1}` })
    for (const { json } of [await publicly.get(path), byLimited])
      expect(json).toMatchObject([{ number: 0, title: 'HIDDEN', url: '', repository: { full_name: '' } }])
    const other = await createIssue(ann)
    const blocks = `${DESK}/${other.number}/blocks`
    await ann.client.post(blocks, { owner: 'ann', repo: 'vault', index: secret.number })
    expect(numbers(await ann.client.get(blocks))).toEqual([secret.number])
    expect((await wes.client.get(blocks)).json).toEqual([])
    expect((await publicly.get(blocks)).json).toEqual([])
  })

  it('do not apply in archived repositories or if dependencies are disabled', async () => {
    const { ann } = given
    const [one, two] = [await createIssue(ann), await createIssue(ann)]
    const path = `${DESK}/${one.number}/dependencies`
    const body = { index: two.number }
    await ann.client.patch('/repos/ann/desk', { archived: true })
    expect((await ann.client.post(path, body)).status).toBe(423)
    expect((await ann.client.delete(path, body)).status).toBe(423)
    expect((await ann.client.post(`${DESK}/${two.number}/blocks`, { index: one.number })).status).toBe(201)
    await ann.client.patch('/repos/ann/desk', { archived: false })
    const switchTo = (on: boolean) =>
      ann.client.patch('/repos/ann/desk', { has_issues: true, internal_tracker: { enable_issue_dependencies: on } })
    expect((await switchTo(false)).status).toBe(200)
    expect((await ann.client.get(path)).status).toBe(404)
    expect((await ann.client.post(path, body)).status).toBe(404)
    expect((await ann.client.get(`${DESK}/${two.number}/blocks`)).status).toBe(200)
    expect((await ann.client.patch(`${DESK}/${one.number}`, { state: 'closed' })).status).toBe(201)
    await switchTo(true)
  })
})

describe('disabled dependencies across repositories', () => {
  const given = issueWorld({ settings: { 'issue.allow_cross_repository_dependencies': 'false' } })

  it('are rejected with a message; dependencies within a repository work', async () => {
    const { ann } = given
    const [one, two, far] = [await createIssue(ann), await createIssue(ann), await createIssue(ann, {}, 'ann/vault')]
    const path = `${DESK}/${one.number}/dependencies`
    const refused = await ann.client.post(path, { owner: 'ann', repo: 'vault', index: far.number })
    expect([refused.status, refused.json]).toEqual([400, 'CrossRepositoryDependencies not enabled'])
    expect((await ann.client.post(path, { index: two.number })).status).toBe(201)
  })
})
