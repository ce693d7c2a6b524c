import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Repo } from '../../../src/domains/repositories/index.ts'
import { row, rows } from '../../harness/expect.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Organization, Person } from '../../harness/world.ts'

let server: TestServer
let ann: Person
let bob: Person
let cat: Person
let acme: Organization
let repo: Repo
let orgRepo: Repo
const PATH = '/repos/ann/r/branch_protections'

beforeAll(async () => {
  server = await startServer()
  ann = await server.world.user('ann')
  bob = await server.world.user('bob')
  cat = await server.world.user('cat')
  repo = await server.world.repo({ owner: ann, name: 'r', autoInit: true, defaultBranch: 'main' })
  acme = await server.world.org('acme', { owner: ann })
  orgRepo = await server.world.repo({ owner: acme.org, by: ann, name: 'r', autoInit: true, defaultBranch: 'main' })
  await ann.client.put('/repos/ann/r/collaborators/bob', { permission: 'write' })
  await ann.client.put('/repos/ann/r/collaborators/cat', { permission: 'read' })
})
afterAll(() => server.close())

const make = async (body: object, path = PATH) => {
  const answer = await ann.client.post(path, body)
  expect(answer.status, answer.text).toBe(201)
  return answer.json
}
const names = async (path = PATH) =>
  (await ann.client.get(path)).json.map((rule: { rule_name: string }) => rule.rule_name)
const clear = async () => {
  for (const name of await names()) await ann.client.delete(`${PATH}/${encodeURIComponent(name)}`)
}

describe('branch protections', () => {
  it('are accessible only to repository administrators', async () => {
    const shut = await server.world.repo({ owner: ann, name: 'shut', isPrivate: true })
    for (const path of ['', '/main', '/priority'] as const) {
      const method = path === '/priority' ? 'post' : 'get'
      expect((await server.anonymous[method](PATH + path)).status, path).toBe(401)
      expect((await bob.client[method](PATH + path)).status, path).toBe(403)
      expect((await bob.client[method](`/repos/ann/${shut.name}/branch_protections${path}`)).status, path).toBe(404)
    }
    expect((await bob.client.post(PATH, { rule_name: 'x' })).status).toBe(403)
    expect((await bob.client.patch(`${PATH}/x`, {})).status).toBe(403)
    expect((await bob.client.delete(`${PATH}/x`)).status).toBe(403)
  })

  it('accept a sub-option whose parent is stored', async () => {
    const path = '/repos/acme/r/branch_protections'
    await make({ rule_name: 'stored', enable_push: true }, path)
    const edited = await ann.client.patch(`${path}/stored`, { enable_force_push: true })
    expect(edited.json).toMatchObject({ enable_push: true, enable_force_push: true })
    const closed = await ann.client.patch(`${path}/stored`, { enable_push: false, enable_force_push: true })
    expect(closed.json).toMatchObject({ enable_push: false, enable_force_push: false })
    expect((await ann.client.delete(`${path}/stored`)).status).toBe(204)
  })

  it('reject invalid rules', async () => {
    expect(await ann.client.post(PATH, { rule_name: '  ' })).toMatchObject({
      status: 400,
      json: { message: 'both rule_name and branch_name are empty' },
    })
    expect((await ann.client.post(PATH, { rule_name: 'x'.repeat(300) })).status).toBe(422)
    expect((await ann.client.post(PATH, { rule_name: 'x', required_approvals: 'two' })).status).toBe(422)
    expect((await ann.client.post(PATH, { rule_name: 'x', merge_whitelist_usernames: ['nobody'] })).json.message).toBe(
      'user does not exist [uid: 0, name: nobody]',
    )
    expect((await ann.client.post(PATH, { rule_name: 'x', push_whitelist_usernames: ['acme'] })).status).toBe(422)
    expect(
      (await ann.client.post(`/repos/acme/r/branch_protections`, { rule_name: 'x', push_whitelist_teams: ['none'] }))
        .status,
    ).toBe(422)
    expect(await names()).toEqual([])
    expect((await ann.client.patch(`${PATH}/none`, {})).status).toBe(404)
    expect((await ann.client.delete(`${PATH}/none`)).status).toBe(404)
  })

  it('are created once, found by their exact name and deleted', async () => {
    await make({ rule_name: 'feat/**' })
    expect((await ann.client.post(PATH, { rule_name: 'feat/**' })).json.message).toBe('Branch protection already exist')
    const twice = await Promise.all([1, 2, 3].map(() => ann.client.post(PATH, { branch_name: 'race' })))
    expect(twice.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([201, 403, 403])
    for (const name of ['feat/**', 'feat%2F**', 'feat%2F%2A%2A'])
      expect((await ann.client.get(`${PATH}/${name}`)).json, name).toMatchObject({
        rule_name: 'feat/**',
        branch_name: '',
      })
    expect((await ann.client.get(`${PATH}/race`)).json.branch_name).toBe('race')
    expect((await ann.client.get(`${PATH}/Race`)).status).toBe(404)
    await make({ rule_name: 'priority' })
    expect((await ann.client.delete(`${PATH}/priority`)).status).toBe(204)
    await clear()
    for (const kind of ['branch_protection.created', 'branch_protection.deleted'] as const)
      expect(await rows(server, 'event', { repo_id: repo.id, kind }), kind).toHaveLength(3)
  })

  it('list writers, readers on the approval list, and teams in organizations', async () => {
    const made = await make({
      rule_name: 'lists',
      enable_push: true,
      enable_push_whitelist: true,
      push_whitelist_usernames: ['BOB', 'cat', 'ann', 'bob'],
      push_whitelist_teams: ['ignored'],
      approvals_whitelist_username: ['cat', 'bob'],
      force_push_allowlist_usernames: ['bob'],
      status_check_contexts: ['ci/*'],
      apply_to_admins: true,
    })
    expect(made).toMatchObject({
      push_whitelist_usernames: ['ann', 'bob'],
      push_whitelist_teams: [],
      approvals_whitelist_username: ['bob', 'cat'],
      force_push_allowlist_usernames: ['bob'],
      block_admin_merge_override: true,
      apply_to_admins: true,
    })
    const edited = await ann.client.patch(`${PATH}/lists`, {
      push_whitelist_usernames: [],
      enable_push: false,
      block_admin_merge_override: false,
    })
    expect(edited.json).toMatchObject({
      push_whitelist_usernames: [],
      enable_push_whitelist: false,
      approvals_whitelist_username: ['bob', 'cat'],
      status_check_contexts: ['ci/*'],
      apply_to_admins: false,
    })
    await acme.team('devs', { permission: 'write', units: ['repo.code'], members: [bob], repos: [orgRepo] })
    const ofOrg = await make(
      { rule_name: 'main', enable_push: true, enable_push_whitelist: true, push_whitelist_teams: ['Devs'] },
      '/repos/acme/r/branch_protections',
    )
    expect(ofOrg.push_whitelist_teams).toEqual(['devs'])
    await clear()
  })

  it('lose users and teams that are deleted', async () => {
    const dan = await server.world.user('dan')
    const root = await server.world.admin()
    await ann.client.put('/repos/ann/r/collaborators/dan', { permission: 'write' })
    const team = await acme.team('gone', {
      permission: 'write',
      units: ['repo.code'],
      members: [dan],
      repos: [orgRepo],
    })
    await make({ rule_name: 'gone', push_whitelist_usernames: ['dan', 'bob'] })
    await make({ rule_name: 'gone', merge_whitelist_teams: ['gone'] }, '/repos/acme/r/branch_protections')
    expect((await root.client.delete('/admin/users/dan?purge=true')).status).toBe(204)
    expect((await ann.client.delete(`/teams/${team.id}`)).status).toBe(204)
    expect((await ann.client.get(`${PATH}/gone`)).json.push_whitelist_usernames).toEqual(['bob'])
    expect((await ann.client.get('/repos/acme/r/branch_protections/gone')).json.merge_whitelist_teams).toEqual([])
    await clear()
  })

  it('are ordered by priority', async () => {
    for (const rule_name of ['a', 'b*', 'c']) await make({ rule_name })
    await make({ rule_name: 'd', priority: 2 })
    expect(await names()).toEqual(['a', 'd', 'b*', 'c'])
    const id = async (name: string) => (await row(server, 'branch_rule', { repo_id: repo.id, name })).id
    const [b, c] = [await id('b*'), await id('c')]
    expect((await ann.client.post(`${PATH}/priority`, { ids: [c, 999_999, b, c] })).status).toBe(204)
    expect(await names()).toEqual(['a', 'c', 'd', 'b*'])
    expect((await ann.client.post(`${PATH}/priority`, { ids: 'x' })).status).toBe(422)
    expect((await ann.client.patch(`${PATH}/b*`, { priority: 9 })).json.priority).toBe(9)
    await clear()
  })

  it('are shown on branches, with the name of the rule only for administrators', async () => {
    await make({ rule_name: 'MA*', priority: 1 })
    await make({
      rule_name: 'Main',
      priority: 2,
      enable_push: true,
      enable_push_whitelist: true,
      push_whitelist_usernames: ['bob'],
      enable_merge_whitelist: true,
      merge_whitelist_usernames: ['ann'],
      required_approvals: 2,
      enable_status_check: true,
      status_check_contexts: ['ci'],
    })
    const of = async (client: Person['client']) => (await client.get('/repos/ann/r/branches/main')).json
    expect(await of(ann.client)).toMatchObject({
      protected: true,
      user_can_push: false,
      user_can_merge: true,
      effective_branch_protection_name: 'Main',
      required_approvals: 2,
      enable_status_check: true,
      status_check_contexts: ['ci'],
    })
    expect(await of(bob.client)).toMatchObject({
      protected: true,
      user_can_push: true,
      user_can_merge: false,
      effective_branch_protection_name: '',
    })
    expect(await of(server.anonymous)).toMatchObject({
      protected: true,
      user_can_push: false,
      user_can_merge: false,
      effective_branch_protection_name: '',
    })
    expect((await bob.client.get('/repos/ann/r/branches')).json[0]).toMatchObject({
      protected: true,
      user_can_push: true,
    })
    await clear()
    expect(await of(bob.client)).toMatchObject({
      protected: false,
      user_can_push: true,
      user_can_merge: true,
      required_approvals: 0,
    })
    expect(await of(cat.client)).toMatchObject({ user_can_push: false, user_can_merge: false })
  })

  it('apply to changes of branches through the API', async () => {
    await ann.client.post('/repos/ann/r/branches', { new_branch_name: 'rel/1' })
    await ann.client.post('/repos/ann/r/branches', { new_branch_name: 'free' })
    await make({
      rule_name: 'rel/*',
      enable_push: true,
      enable_push_whitelist: true,
      push_whitelist_usernames: ['bob'],
      protected_file_patterns: '*.lock',
    })
    const file = { branch: 'rel/1', content: 'bmV3', message: 'x' }
    expect((await ann.client.post('/repos/ann/r/contents/a.txt', file)).json.message).toBe(
      'user cannot commit to repo [user: ann]',
    )
    expect((await bob.client.post('/repos/ann/r/contents/a.txt', file)).status).toBe(201)
    expect((await bob.client.post('/repos/ann/r/contents/a.lock', file)).json.message).toBe(
      'path is protected and can not be changed [path: a.lock]',
    )
    expect((await ann.client.post('/repos/ann/r/branches', { new_branch_name: 'rel/2' })).json.message).toBe(
      'Not allowed to push to protected branch rel/2',
    )
    expect((await bob.client.post('/repos/ann/r/branches', { new_branch_name: 'rel/2' })).status).toBe(201)
    expect((await bob.client.delete('/repos/ann/r/branches/rel/2')).json.message).toBe('branch protected')
    expect(
      (await bob.client.put('/repos/ann/r/branches/rel/1', { new_commit_id: 'main', force: true })).json.message,
    ).toBe('branch rel/1 is protected from force push')
    expect((await bob.client.patch('/repos/ann/r/branches/rel/1', { name: 'x' })).json.message).toBe(
      'Failed to rename branch due to branch protection rules.',
    )
    expect((await ann.client.patch('/repos/ann/r/branches/free', { name: 'rel/9' })).json.message).toBe(
      'Failed to rename branch due to branch protection rules.',
    )
    expect((await ann.client.patch(`${PATH}/rel/*`, { unprotected_file_patterns: 'docs/**' })).status).toBe(200)
    expect((await ann.client.post('/repos/ann/r/contents/docs/a.txt', file)).status).toBe(201)
    await clear()
  })

  it('are renamed with a branch of exactly their name', async () => {
    await make({ rule_name: 'free', enable_push: true })
    expect((await bob.client.patch('/repos/ann/r/branches/free', { name: 'freed' })).json.message).toBe(
      'User must be a repo or site admin to rename default or protected branches.',
    )
    expect((await ann.client.patch('/repos/ann/r/branches/free', { name: 'freed' })).status).toBe(204)
    expect(await names()).toEqual(['freed'])
    expect((await ann.client.get('/repos/ann/r/branches/freed')).json.protected).toBe(true)
    await clear()
  })

  it('are renamed with a branch of their name in another case', async () => {
    await make({ rule_name: 'FREED', enable_push: true })
    expect((await bob.client.patch('/repos/ann/r/branches/freed', { name: 'loose' })).json.message).toBe(
      'User must be a repo or site admin to rename default or protected branches.',
    )
    expect((await ann.client.patch('/repos/ann/r/branches/freed', { name: 'Freed' })).status).toBe(204)
    expect(await names()).toEqual(['Freed'])
    await make({ rule_name: 'LOOSE', enable_push: true })
    expect((await ann.client.patch('/repos/ann/r/branches/Freed', { name: 'loose' })).status).toBe(204)
    expect(await names()).toEqual(['Freed', 'LOOSE'])
    await clear()
  })

  it('are copied to repositories generated from a template on request', async () => {
    await make({
      rule_name: 'rel/*',
      enable_push: true,
      enable_push_whitelist: true,
      push_whitelist_usernames: ['bob', 'ann'],
      required_approvals: 2,
    })
    await ann.client.patch('/repos/ann/r', { template: true })
    await ann.client.post('/repos/ann/r/generate', {
      owner: 'ann',
      name: 'made',
      protected_branch: true,
      git_content: true,
    })
    await ann.client.post('/repos/ann/r/generate', { owner: 'ann', name: 'bare', git_content: true })
    const [rule, ...others] = (await ann.client.get('/repos/ann/made/branch_protections')).json
    expect(rule).toMatchObject({
      rule_name: 'rel/*',
      enable_push_whitelist: true,
      push_whitelist_usernames: [],
      required_approvals: 2,
      priority: 1,
    })
    expect(others).toEqual([])
    expect((await ann.client.get('/repos/ann/bare/branch_protections')).json).toEqual([])
    await clear()
  })

  it('cannot be changed while the repository is archived', async () => {
    await make({ rule_name: 'main' })
    await ann.client.patch('/repos/ann/r', { archived: true })
    expect((await ann.client.get(PATH)).status).toBe(200)
    expect((await ann.client.post(PATH, { rule_name: 'x' })).status).toBe(423)
    expect((await ann.client.patch(`${PATH}/main`, {})).status).toBe(423)
    expect((await ann.client.delete(`${PATH}/main`)).status).toBe(423)
    expect((await ann.client.post(`${PATH}/priority`, { ids: [] })).status).toBe(423)
    expect(await cat.client.post('/repos/ann/r/contents/x', { content: '' })).toMatchObject({
      status: 423,
      json: { message: 'ann/r is not allowed to edit' },
    })
    await ann.client.patch('/repos/ann/r', { archived: false })
  })
})
